package dev.redline.server.data;

import dev.redline.server.access.TokenAuthenticator;
import dev.redline.server.access.TokenAuthenticator.Authentication;
import dev.redline.server.access.TokenAuthenticator.Rejected;
import dev.redline.server.rules.RulesPage;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.net.SocketAddress;

/** {@code GET /v1/rules}: the whole document in force, for callers with an admin token. */
final class RulesEndpoint implements Endpoint {
  private final TokenAuthenticator authenticator;
  private final RulesPage.Maker pages;

  RulesEndpoint(TokenAuthenticator authenticator, RulesPage.Maker pages) {
    this.authenticator = authenticator;
    this.pages = pages;
  }

  @Override
  public void handle(Exchange exchange, byte[] body) {
    HttpServerRequest request = exchange.request();
    HttpServerResponse response = request.response();
    SocketAddress remote = request.remoteAddress();
    Authentication result =
        authenticator.authenticate(
            request.getHeader(HttpHeaders.AUTHORIZATION),
            remote == null ? null : remote.hostAddress());
    if (result instanceof Rejected rejected) {
      throw new HttpProblem(rejected.status(), rejected.detail(), rejected.headers());
    }
    RulesPage page =
        pages.current().orElseThrow(() -> new HttpProblem(503, "no rules were loaded yet"));
    response.putHeader(HttpHeaders.ETAG, page.etag());
    response.putHeader(HttpHeaders.CACHE_CONTROL, "no-cache, private");
    String known = request.getHeader(HttpHeaders.IF_NONE_MATCH);
    if (known != null && RulesPage.names(known, page.etag(), true)) {
      exchange.notModified();
    } else {
      exchange.json(page.json());
    }
  }
}
