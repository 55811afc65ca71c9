package dev.redline.quarkus.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.behaviour.LoopbackClient;
import dev.redline.testkit.redis.RedisServer;
import io.quarkus.test.QuarkusDevModeTest;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jboss.shrinkwrap.api.asset.StringAsset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** An application in development mode: an edited rule, and the card of the Dev UI. */
class QuarkusDevelopmentTest {
  private static final int PORT = RedisServer.freePort();

  @RegisterExtension
  static final QuarkusDevModeTest APPLICATION =
      new QuarkusDevModeTest()
          .withApplicationRoot(
              root ->
                  root.addClass(EditedResource.class)
                      .addAsResource(
                          new StringAsset(
                              "quarkus.http.port="
                                  + PORT
                                  + "\nrl.rules[0].id=edited\nrl.rules[0].path=/edited\n"
                                  + "rl.rules[0].limit=1/h\n"),
                          "application.properties"));

  private final LoopbackClient client = new LoopbackClient(URI.create("http://127.0.0.1:" + PORT));

  @Test
  void editedRuleIsInForceWithoutARestart() {
    assertThat(client.get("/edited").status()).isEqualTo(200);
    assertThat(client.get("/edited").status()).isEqualTo(429);

    APPLICATION.modifyResourceFile("application.properties", text -> text.replace("1/h", "50/h"));

    assertThat(client.get("/edited").header("X-RateLimit-Limit")).isEqualTo("50");
  }

  @Test
  void cardOfTheDevUiShowsRulesAndStoreAndResetsBuckets() throws Exception {
    assertThat(client.get("/q/dev-ui/redline-quarkus-data.js").body())
        .contains("EditedResource.edited");
    assertThat(client.get("/edited").status()).isEqualTo(200);
    assertThat(client.get("/edited").status()).isEqualTo(429);
    try (JsonRpcSession session = new JsonRpcSession()) {
      assertThat(session.call("redline-quarkus_rules", "{}"))
          .contains("edited", "EditedResource.edited");
      assertThat(session.call("redline-quarkus_state", "{}")).contains("\"breaker\" : \"CLOSED\"");
      assertThat(session.call("redline-quarkus_reset", "{\"rule\":\"edited\"}"))
          .contains("reset edited");
    }
    assertThat(client.get("/edited").status()).isEqualTo(200);
  }

  /** The connection that the pages of the Dev UI have. */
  private static final class JsonRpcSession implements WebSocket.Listener, AutoCloseable {
    private final BlockingQueue<String> messages = new LinkedBlockingQueue<>();
    private final StringBuilder part = new StringBuilder();
    private final WebSocket socket;
    private int id;

    JsonRpcSession() {
      socket =
          HttpClient.newHttpClient()
              .newWebSocketBuilder()
              .buildAsync(URI.create("ws://127.0.0.1:" + PORT + "/q/dev-ui/json-rpc-ws"), this)
              .join();
    }

    @Override
    public CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
      part.append(data);
      if (last) {
        messages.add(part.toString());
        part.setLength(0);
      }
      from.request(1);
      return null;
    }

    String call(String method, String params) throws InterruptedException {
      int number = ++id;
      socket
          .sendText(
              "{\"jsonrpc\":\"2.0\",\"id\":"
                  + number
                  + ",\"method\":\""
                  + method
                  + "\",\"params\":"
                  + params
                  + "}",
              true)
          .join();
      while (true) {
        String message = messages.poll(30, TimeUnit.SECONDS);
        if (message == null || message.contains("\"id\" : " + number)) {
          return String.valueOf(message);
        }
      }
    }

    @Override
    public void close() {
      socket.abort();
    }
  }
}
