package dev.redline.quarkus.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.behaviour.LoopbackClient;
import dev.redline.binding.web.RequestDetails;
import dev.redline.quarkus.RoutingRequestCustomizer;
import dev.redline.testkit.ExpressionTable;
import io.quarkus.test.QuarkusUnitTest;
import io.quarkus.test.common.http.TestHTTPResource;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.QueryParam;
import java.net.URI;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The table of portable expressions, in requests of Quarkus. */
class QuarkusExpressionTableTest {
  @RegisterExtension
  static final QuarkusUnitTest APPLICATION =
      new QuarkusUnitTest()
          .withApplicationRoot(root -> root.addClass(QuarkusExpressionTableTest.class))
          .overrideConfigKey("quarkus.index-dependency.testkit.group-id", "dev.redline")
          .overrideConfigKey("quarkus.index-dependency.testkit.artifact-id", "redline-testkit");

  @TestHTTPResource URI base;

  /** The bean of the table. */
  @ApplicationScoped
  public static class TableBean extends ExpressionTable.Bean {}

  /** The handler, and the request of the table. */
  @Singleton
  public static class TableRequest implements RoutingRequestCustomizer {
    @Produces @Singleton ExpressionTable.Recorder recorder = new ExpressionTable.Recorder();

    @Override
    public void customize(RequestDetails details, RoutingContext routing) {
      details.clientIp("192.0.2.7").userId("u7");
    }
  }

  /** Calls a method of the table. */
  @Path("/row")
  public static class TableResource {
    @Inject TableBean bean;
    @Inject ExpressionTable.Recorder recorder;

    @GET
    public String call(@QueryParam("name") String name) throws ReflectiveOperationException {
      recorder.last();
      for (ExpressionTable.Row row : ExpressionTable.rows()) {
        if (row.method().getName().equals(name)) {
          row.call(bean);
        }
      }
      return recorder.last();
    }
  }

  @Test
  void portableExpressionsMeanTheSameAsEverywhere() {
    assertThat(ExpressionTable.rows())
        .isNotEmpty()
        .allSatisfy(
            row ->
                assertThat(
                        new LoopbackClient(base)
                            .get("/row?name=" + row.method().getName(), "X-Tenant: acme")
                            .body())
                    .isEqualTo(row.expected()));
  }
}
