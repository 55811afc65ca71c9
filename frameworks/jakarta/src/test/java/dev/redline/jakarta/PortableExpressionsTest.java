package dev.redline.jakarta;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.binding.web.CurrentRequest;
import dev.redline.core.RateLimitHandler;
import dev.redline.core.RateLimitResult;
import dev.redline.core.key.RequestContext;
import dev.redline.testkit.ExpressionTable;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.control.ActivateRequestContext;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The table of portable expressions, on beans of CDI. */
class PortableExpressionsTest {
  private static final ExpressionTable.Recorder RECORDER = new ExpressionTable.Recorder();
  private static Deployment deployment;

  /** Makes the recorder the handler of the application. */
  @ApplicationScoped
  static class Handlers {
    @Produces
    @Singleton
    RateLimitHandler recorder() {
      return RECORDER;
    }
  }

  /** Calls the methods of the table within a request. */
  @ApplicationScoped
  static class Caller {
    @Inject ExpressionTable.Bean bean;
    @Inject LimitedApplication application;

    @ActivateRequestContext
    void call(ExpressionTable.Row row) throws ReflectiveOperationException {
      application.open(new TableRequest());
      row.call(bean);
    }
  }

  /** The request of the table. */
  private static final class TableRequest implements CurrentRequest {
    @Override
    public RequestContext describe() {
      return ExpressionTable.request();
    }

    @Override
    public void decided(RateLimitResult result, boolean fallback) {}
  }

  @BeforeAll
  static void start() {
    deployment =
        Deployment.start(Map.of(), ExpressionTable.Bean.class, Handlers.class, Caller.class);
  }

  @AfterAll
  static void stop() {
    deployment.close();
  }

  static List<ExpressionTable.Row> rows() {
    return ExpressionTable.rows();
  }

  @ParameterizedTest
  @MethodSource("rows")
  void meansTheSameEverywhere(ExpressionTable.Row row) throws ReflectiveOperationException {
    deployment.bean(Caller.class).call(row);

    assertThat(RECORDER.last()).isEqualTo(row.expected());
  }
}
