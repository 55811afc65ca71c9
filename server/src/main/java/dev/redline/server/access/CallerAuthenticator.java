package dev.redline.server.access;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Authenticates the callers of the data plane by token ({@code rl.server.auth.tokens}), if any is
 * configured.
 *
 * <p>A token is sent as {@code Authorization: Bearer …}, or as {@value #TOKEN_HEADER} by a proxy
 * that forwards the {@code Authorization} of its client. Thread-safe.
 */
public final class CallerAuthenticator {
  /** The header field for a token where {@code Authorization} belongs to the client. */
  public static final String TOKEN_HEADER = "X-Redline-Token";

  /** The header field that a response of status 401 has. */
  public static final Map<String, String> CHALLENGE =
      Map.of("WWW-Authenticate", "Bearer realm=\"redline\"");

  /** Which header field authenticated a caller. */
  public enum Credential {
    /** None is needed. */
    NONE,
    /** {@code Authorization: Bearer …}. */
    AUTHORIZATION,
    /** {@value CallerAuthenticator#TOKEN_HEADER}. */
    TOKEN_HEADER
  }

  /**
   * A caller that may use the data plane.
   *
   * @param credential what authenticated it
   * @param tokenName the name of its token; empty if none is needed
   */
  public record DataCaller(Credential credential, Optional<String> tokenName) {
    private static final DataCaller ANYBODY = new DataCaller(Credential.NONE, Optional.empty());
  }

  private final TokenTable<String> names;
  private final FailedLoginLog log = new FailedLoginLog();

  /** Creates an authenticator for tokens; without any, everybody may call. */
  public CallerAuthenticator(Map<String, String> tokensByName) {
    Map<String, String> namesByToken = new HashMap<>();
    tokensByName.forEach((name, token) -> namesByToken.put(token, name));
    this.names = new TokenTable<>(namesByToken);
  }

  /**
   * Authenticates a request.
   *
   * @param authorization the value of the {@code Authorization} header field, if it was sent
   * @param token the value of the {@value #TOKEN_HEADER} header field, if it was sent
   * @param remote the caller's address, for the log
   * @return the caller; empty if the request is to be answered with 401
   */
  public Optional<DataCaller> authenticate(
      @Nullable String authorization, @Nullable String token, @Nullable String remote) {
    if (names.isEmpty()) {
      return Optional.of(DataCaller.ANYBODY);
    }
    Optional<DataCaller> caller = Optional.empty();
    if (token != null) {
      caller = find(token.strip(), Credential.TOKEN_HEADER);
    }
    if (caller.isEmpty()) {
      caller =
          BearerToken.of(authorization).flatMap(bearer -> find(bearer, Credential.AUTHORIZATION));
    }
    if (caller.isPresent()) {
      return caller;
    }
    if (authorization != null || token != null) {
      log.record(String.valueOf(remote));
    }
    return Optional.empty();
  }

  private Optional<DataCaller> find(String token, Credential credential) {
    return names.find(token).map(name -> new DataCaller(credential, Optional.of(name)));
  }
}
