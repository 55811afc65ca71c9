package dev.redline.binding.web;

import dev.redline.core.internal.http.ClientAddress;
import dev.redline.core.internal.http.TrustedProxies;
import dev.redline.core.internal.token.UserTokens;
import dev.redline.core.key.IpAddress;
import dev.redline.core.key.RequestContext;
import dev.redline.core.settings.Settings;
import java.util.Iterator;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Finds out who sent a request, by the {@code rl.identity.*} properties.
 *
 * @param proxies the peers whose {@code X-Forwarded-For} is trusted
 * @param apiKeyHeader the header that holds the API key
 * @param tokens finds users by their tokens
 */
public record ClientIdentity(TrustedProxies proxies, String apiKeyHeader, UserTokens tokens) {
  /** The header that proxies append the address of their peer to. */
  public static final String FORWARDED_FOR = "X-Forwarded-For";

  /** The header that holds the token of a user. */
  public static final String AUTHORIZATION = "Authorization";

  /**
   * The attribute of a request whose token is not valid. An attribute, because the request is
   * described before it is decided; clients cannot set one.
   */
  private static final String INVALID_TOKEN = ClientIdentity.class.getName() + ".INVALID_TOKEN";

  /** The API key of requests with several. No header can hold it, because of the line break. */
  private static final String SEVERAL_API_KEYS = "several\n";

  /** Creates the identity without tokens. */
  public ClientIdentity(TrustedProxies proxies, String apiKeyHeader) {
    this(proxies, apiKeyHeader, UserTokens.NONE);
  }

  /** Returns the identity by settings; without trusted proxies every peer is the client. */
  public static ClientIdentity of(Settings.Identity settings, UserTokens tokens) {
    return new ClientIdentity(
        settings.trustedProxies().orElse(TrustedProxies.none()), settings.apiKeyHeader(), tokens);
  }

  /**
   * Returns the API key of a request, or null if it has none. All requests with different values
   * are charged to one API key that no client can send. If one of the values counted, the client
   * would choose it, and the application may accept another one; without an API key, some rules
   * would not apply.
   *
   * @param values the values of {@link #apiKeyHeader} in order
   */
  public static @Nullable String apiKey(Iterator<String> values) {
    String first = values.hasNext() ? values.next() : null;
    while (values.hasNext()) {
      if (!values.next().equals(first)) {
        return SEVERAL_API_KEYS;
      }
    }
    return first;
  }

  /**
   * Sets the user of a request: the one whom the application knows, else the one whom a verified
   * token names.
   *
   * @param authenticated the name of the user whom the application authenticated, or null
   * @param authorization returns the values of {@link #AUTHORIZATION} in order
   */
  public void identify(
      RequestContext.Builder request,
      @Nullable String authenticated,
      Supplier<List<String>> authorization) {
    request.userId(authenticated);
    boolean known = authenticated != null && !authenticated.isEmpty();
    if (!known && tokens.areRead() && !tokens.identify(request, authorization.get())) {
      request.attribute(INVALID_TOKEN, "true");
    }
  }

  /**
   * Returns whether a request is denied because its token is not valid. It is not if a customizer
   * of the application knew its user.
   */
  public static boolean isDenied(RequestContext request) {
    return request.attributeOrNull(INVALID_TOKEN) != null && request.userIdOrNull() == null;
  }

  /**
   * Returns the address of the client, or null if the peer has none, such as a Unix socket.
   *
   * @param peer the address of the peer, perhaps with a zone
   * @param forwardedFor the values of {@link #FORWARDED_FOR} in order
   */
  public @Nullable IpAddress address(@Nullable String peer, List<String> forwardedFor) {
    if (peer == null) {
      return null;
    }
    int zone = peer.indexOf('%');
    IpAddress address = IpAddress.tryParse(zone < 0 ? peer : peer.substring(0, zone));
    return address == null
        ? null
        : ClientAddress.resolve(address, forwardedFor, proxies).orElse(address);
  }
}
