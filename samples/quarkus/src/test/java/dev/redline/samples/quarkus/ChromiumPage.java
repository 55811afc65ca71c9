package dev.redline.samples.quarkus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A page in a headless Chromium of the machine, driven by the DevTools protocol. */
final class ChromiumPage implements WebSocket.Listener, AutoCloseable {
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  /** Collects what is visible, also in the shadow trees of web components. */
  private static final String NODES =
      """
      const nodes = [];
      const visit = (node) => {
        if (node.nodeName === 'SCRIPT' || node.nodeName === 'STYLE') return;
        nodes.push(node);
        if (node.shadowRoot) node.shadowRoot.childNodes.forEach(visit);
        node.childNodes.forEach(visit);
      };
      visit(document.documentElement);
      """;

  private static final String TEXT =
      "(() => {"
          + NODES
          + "return nodes.filter((node) => node.nodeType === Node.TEXT_NODE)"
          + ".map((node) => node.data.trim()).filter((text) => text).join('\\n'); })()";

  private static final String CLICK =
      "(() => {"
          + NODES
          + "const link = nodes.find((node) =>"
          + " node.nodeName === 'A' && node.textContent.includes(%s));"
          + "if (link) link.click(); return Boolean(link); })()";

  private final Process browser;
  private final WebSocket socket;
  private final Map<Integer, CompletableFuture<JsonObject>> calls = new ConcurrentHashMap<>();
  private final AtomicInteger last = new AtomicInteger();
  private final StringBuilder part = new StringBuilder();

  private ChromiumPage(Process browser, URI page) {
    this.browser = browser;
    this.socket = HttpClient.newHttpClient().newWebSocketBuilder().buildAsync(page, this).join();
  }

  /** Starts a browser whose profile is in an empty folder. */
  static ChromiumPage start(Path profile) throws IOException {
    Files.createDirectories(profile);
    Process browser =
        new ProcessBuilder(
                "chromium",
                "--headless",
                // Tests run as root, too, where Chromium has no sandbox.
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--no-first-run",
                "--window-size=1600,1600",
                "--remote-debugging-port=0",
                "--user-data-dir=" + profile.toAbsolutePath(),
                "about:blank")
            .redirectErrorStream(true)
            .redirectOutput(profile.resolve("output.log").toFile())
            .start();
    try {
      Path port = profile.resolve("DevToolsActivePort");
      await()
          .atMost(PATIENCE)
          .until(() -> Files.exists(port) && Files.readAllLines(port).size() == 2);
      return new ChromiumPage(browser, page(Files.readAllLines(port).get(0)));
    } catch (RuntimeException | IOException e) {
      end(browser);
      throw e;
    }
  }

  /** Returns the address of the page that the browser has opened. */
  private static URI page(String port) {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/json/list")).build();
    return await()
        .atMost(PATIENCE)
        .ignoreExceptionsInstanceOf(IOException.class)
        .until(
            () ->
                new JsonArray(
                        HttpClient.newHttpClient().send(request, BodyHandlers.ofString()).body())
                    .stream()
                        .map(JsonObject.class::cast)
                        .filter(each -> each.getString("type").equals("page"))
                        .map(each -> URI.create(each.getString("webSocketDebuggerUrl")))
                        .findFirst(),
            Optional::isPresent)
        .orElseThrow();
  }

  @Override
  public CompletionStage<?> onText(WebSocket from, CharSequence data, boolean isLast) {
    part.append(data);
    if (isLast) {
      JsonObject message = new JsonObject(part.toString());
      part.setLength(0);
      Integer id = message.getInteger("id");
      CompletableFuture<JsonObject> call = id == null ? null : calls.remove(id);
      if (call != null) {
        call.complete(message);
      }
    }
    from.request(1);
    return null;
  }

  private JsonObject call(String method, JsonObject params) {
    int id = last.incrementAndGet();
    CompletableFuture<JsonObject> response = new CompletableFuture<>();
    calls.put(id, response);
    socket
        .sendText(
            new JsonObject().put("id", id).put("method", method).put("params", params).encode(),
            true)
        .join();
    JsonObject message = response.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
    assertThat(message.containsKey("error")).as(message.encode()).isFalse();
    return message.getJsonObject("result");
  }

  private Object evaluate(String expression) {
    JsonObject result =
        call(
            "Runtime.evaluate",
            new JsonObject().put("expression", expression).put("returnByValue", true));
    assertThat(result.containsKey("exceptionDetails")).as(result.encode()).isFalse();
    return result.getJsonObject("result").getValue("value");
  }

  /** Goes to another address. */
  void open(URI address) {
    call("Page.navigate", new JsonObject().put("url", address.toString()));
  }

  /** Waits until the page shows all of some texts. */
  void awaitText(String... expected) {
    await()
        .atMost(PATIENCE)
        .untilAsserted(() -> assertThat((String) evaluate(TEXT)).contains(expected));
  }

  /** Waits for a link with a text, and clicks on it. */
  void click(String text) {
    String encoded = new JsonArray().add(text).encode();
    String expression = CLICK.formatted(encoded.substring(1, encoded.length() - 1));
    await()
        .atMost(PATIENCE)
        .untilAsserted(() -> assertThat(evaluate(expression)).as(text).isEqualTo(true));
  }

  private static void end(Process browser) {
    browser.descendants().forEach(ProcessHandle::destroyForcibly);
    browser.destroyForcibly();
  }

  @Override
  public void close() {
    socket.abort();
    end(browser);
  }
}
