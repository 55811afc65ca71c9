package dev.redline.server.data;

import dev.redline.core.LimitCheck;
import dev.redline.core.RateLimitEngine;
import dev.redline.core.internal.http.ClientAddress;
import dev.redline.core.internal.http.HttpDecision;
import dev.redline.core.internal.http.HttpSettings;
import dev.redline.core.internal.http.TrustedProxies;
import dev.redline.core.internal.token.UserTokens;
import dev.redline.core.key.IpAddress;
import dev.redline.server.access.CallerAuthenticator;
import dev.redline.server.access.CallerAuthenticator.Credential;
import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpServerRequest;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * {@code /v1/forward-auth}: decides on the request that a proxy describes in header fields.
 *
 * <p>Only a trusted proxy may call it, because the description of the client cannot be verified.
 */
final class ForwardAuthEndpoint implements Endpoint {
  private static final String RULE_SET = "ruleSetId";
  private static final String DENY_STATUS = "denyStatus";
  private static final Set<String> PARAMETERS = new TreeSet<>(Set.of(RULE_SET, DENY_STATUS));

  /** Exactly three digits: other spellings of a number, such as "+429", are mistakes. */
  private static final Pattern ERROR_STATUS = Pattern.compile("[45][0-9]{2}");

  private final RateLimitEngine engine;
  private final HttpSettings http;
  private final TrustedProxies proxies;
  private final String apiKeyHeader;
  private final UserTokens tokens;

  ForwardAuthEndpoint(
      RateLimitEngine engine,
      HttpSettings http,
      TrustedProxies proxies,
      String apiKeyHeader,
      UserTokens tokens) {
    this.tokens = tokens;
    this.engine = engine;
    this.http = http;
    this.proxies = proxies;
    this.apiKeyHeader = apiKeyHeader;
  }

  @Override
  public void handle(Exchange exchange, byte[] body) {
    HttpServerRequest request = exchange.request();
    checkPeer(request);
    QueryParameters query = new QueryParameters(request.query(), PARAMETERS);
    UnaryOperator<HttpDecision> denyStatus = denyStatus(query.get(DENY_STATUS));
    PreparedCheck check = describedCheck(ruleSetId(query.get(RULE_SET)), exchange);
    exchange
        .loop()
        .whenDone(
            check.decide(engine),
            result -> {
              exchange.logDenial(check.check(), result);
              exchange.forwardAuth(denyStatus.apply(HttpDecision.of(result, http)));
            },
            failure -> EngineErrors.send(exchange, check.check(), failure));
  }

  private void checkPeer(HttpServerRequest request) {
    String peer = request.remoteAddress().hostAddress();
    IpAddress address = peer == null ? null : IpAddress.tryParse(withoutZone(peer));
    if (address == null || !proxies.trusts(address)) {
      throw new HttpProblem(
          403,
          "the peer "
              + peer
              + " is not a trusted proxy and may not describe other clients; name it in"
              + " rl.identity.trusted-proxies");
    }
  }

  private static String withoutZone(String address) {
    int zone = address.indexOf('%');
    return zone < 0 ? address : address.substring(0, zone);
  }

  private static Optional<String> ruleSetId(@Nullable String text) {
    if (text != null && text.isEmpty()) {
      throw HttpProblem.field(RULE_SET, "must not be empty");
    }
    return Optional.ofNullable(text);
  }

  /** Returns a function that sets the status of denials, if the parameter is given. */
  private static UnaryOperator<HttpDecision> denyStatus(@Nullable String text) {
    if (text == null) {
      return UnaryOperator.identity();
    }
    if (!ERROR_STATUS.matcher(text).matches()) {
      throw HttpProblem.field(DENY_STATUS, "must be 400 to 599, was '" + text + "'");
    }
    int status = Integer.parseInt(text);
    return decision -> decision.withDenyStatus(status);
  }

  private PreparedCheck describedCheck(Optional<String> ruleSetId, Exchange exchange) {
    MultiMap headers = exchange.request().headers();
    if (tokens.areRead()) {
      checkAuthorization(headers);
    }
    OriginalRequest original = OriginalRequest.of(headers);
    DescribedRequest request = new DescribedRequest();
    request
        .context
        .path(original.path())
        .method(original.method())
        .apiKey(OriginalRequest.only(headers, apiKeyHeader))
        .clientAddress(
            ClientAddress.resolveForwarded(headers.getAll("X-Forwarded-For"), proxies)
                .orElse(null));
    headers.forEach(
        (name, value) -> {
          if (!isOfProxy(name, exchange.credential())) {
            request.header(name, value);
          }
        });
    boolean identified = request.identify(tokens);
    return new PreparedCheck(
        new LimitCheck.OfRequest(ruleSetId, request.context.build()), false, !identified);
  }

  /**
   * Rejects several different values: the application behind the proxy may read another one than
   * the service, or one as the token of a user whose limit would not count.
   */
  private static void checkAuthorization(MultiMap headers) {
    var unused = OriginalRequest.only(headers, "Authorization");
  }

  /** Returns whether a field authenticates the proxy, and is not part of the client's request. */
  private static boolean isOfProxy(String name, Credential credential) {
    return name.equalsIgnoreCase(CallerAuthenticator.TOKEN_HEADER)
        || (credential == Credential.AUTHORIZATION && name.equalsIgnoreCase("Authorization"));
  }
}
