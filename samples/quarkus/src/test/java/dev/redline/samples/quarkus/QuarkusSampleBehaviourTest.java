package dev.redline.samples.quarkus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.behaviour.LoopbackClient;
import dev.redline.behaviour.SampleBehaviour;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import org.junit.jupiter.api.Test;

@QuarkusTest
class QuarkusSampleBehaviourTest extends SampleBehaviour {
  @TestHTTPResource URI base;

  @Test
  void mistakesOfTheClientAreNoServerErrors() throws Exception {
    assertThat(new LoopbackClient(base).get("/nowhere").status()).isEqualTo(404);
    HttpRequest post =
        HttpRequest.newBuilder(base.resolve("/free")).POST(BodyPublishers.noBody()).build();
    assertThat(HttpClient.newHttpClient().send(post, BodyHandlers.ofString()).statusCode())
        .isEqualTo(405);
  }

  @Override
  protected URI baseUri() {
    return base;
  }
}
