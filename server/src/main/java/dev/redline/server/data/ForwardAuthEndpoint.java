package dev.redline.server.data;

import dev.redline.core.Question;
import dev.redline.core.RateLimitEngine;
import dev.redline.core.http.ClientAddress;
import dev.redline.core.http.HttpDecision;
import dev.redline.core.http.HttpSettings;
import dev.redline.core.http.TrustedProxies;
import dev.redline.core.key.IpAddress;
import dev.redline.core.key.RequestContext;
import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpServerRequest;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * {@code /v1/forward-auth}: decides the request that a proxy asks about in header fields.
 *
 * <p>Only a trusted proxy may ask: what it says of its client is believed.
 */
final class ForwardAuthEndpoint implements Endpoint {
  private static final List<String> METHOD_FIELDS =
      List.of("X-Forwarded-Method", "X-Original-Method");
  private static final List<String> URI_FIELDS =
      List.of("X-Forwarded-Uri", "X-Original-URI", "X-Original-URL");

  private final RateLimitEngine engine;
  private final HttpSettings http;
  private final TrustedProxies proxies;
  private final String apiKeyHeader;

  ForwardAuthEndpoint(
      RateLimitEngine engine, HttpSettings http, TrustedProxies proxies, String apiKeyHeader) {
    this.engine = engine;
    this.http = http;
    this.proxies = proxies;
    this.apiKeyHeader = apiKeyHeader;
  }

  @Override
  public void handle(Exchange exchange, byte[] body) {
    HttpServerRequest request = exchange.request();
    checkPeer(request);
    UnaryOperator<HttpDecision> refusal = refusal(request);
    Question question =
        new Question.OfRequest(
            Optional.ofNullable(request.getParam("ruleSetId")), described(request.headers()));
    exchange
        .loop()
        .whenDone(
            engine.decide(question, false),
            result -> exchange.verdict(refusal.apply(HttpDecision.of(result, http))),
            failure -> Answers.failure(exchange, question, failure));
  }

  private void checkPeer(HttpServerRequest request) {
    String peer = request.remoteAddress().hostAddress();
    IpAddress address = peer == null ? null : IpAddress.tryParse(withoutZone(peer));
    if (address == null || !proxies.trusts(address)) {
      throw new HttpProblem(
          403,
          "the peer "
              + peer
              + " is no trusted proxy and may not ask for others; name it in"
              + " rl.identity.trusted-proxies");
    }
  }

  private static String withoutZone(String address) {
    int zone = address.indexOf('%');
    return zone < 0 ? address : address.substring(0, zone);
  }

  /** Returns what to do with a refusal: nothing, or give it the status the proxy asks for. */
  private static UnaryOperator<HttpDecision> refusal(HttpServerRequest request) {
    String text = request.getParam("denyStatus");
    if (text == null) {
      return UnaryOperator.identity();
    }
    int status;
    try {
      status = Integer.parseInt(text);
    } catch (NumberFormatException e) {
      status = 0;
    }
    if (status < 400 || status > 599) {
      throw HttpProblem.field("denyStatus", "must be 400 to 599, was '" + text + "'");
    }
    int given = status;
    return decision -> decision.refusingWith(given);
  }

  private RequestContext described(MultiMap headers) {
    String uri = first(headers, URI_FIELDS);
    if (uri == null) {
      throw new HttpProblem(
          400,
          "the request does not say what it asks about; send " + String.join(" or ", URI_FIELDS));
    }
    RequestContext.Builder request =
        RequestContext.builder()
            .path(path(uri))
            .method(first(headers, METHOD_FIELDS))
            .apiKey(headers.get(apiKeyHeader))
            .clientAddress(
                ClientAddress.resolveForwarded(headers.getAll("X-Forwarded-For"), proxies)
                    .orElse(null));
    headers.forEach(request::header);
    return request.build();
  }

  private static @Nullable String first(MultiMap headers, List<String> names) {
    for (String name : names) {
      String value = headers.get(name);
      if (value != null && !value.isEmpty()) {
        return value;
      }
    }
    return null;
  }

  /** Returns the path of a URI, or of a whole URL as some proxies send it. */
  private static String path(String uri) {
    int scheme = uri.indexOf("://");
    if (uri.startsWith("/") || scheme < 0) {
      return uri;
    }
    int slash = uri.indexOf('/', scheme + 3);
    return slash < 0 ? "/" : uri.substring(slash);
  }
}
