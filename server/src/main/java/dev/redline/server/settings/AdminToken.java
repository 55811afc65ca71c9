package dev.redline.server.settings;

import dev.redline.core.spi.PropertyReader;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * A token of the admin API.
 *
 * @param role what it allows
 * @param value the secret
 */
public record AdminToken(Role role, String value) {
  private static final String PREFIX = "rl.admin.tokens.";
  private static final String ROLE = PREFIX + "<name>.role";
  private static final String VALUE = PREFIX + "<name>.value";
  private static final String FILE = PREFIX + "<name>.file";
  private static final int SHORTEST = 16;

  /** What a token allows. */
  public enum Role {
    /** Read. */
    VIEWER,
    /** Read and change. */
    EDITOR
  }

  static Map<String, AdminToken> read(PropertyReader from) {
    from.describe(
        ROLE, "`VIEWER`", "what a token of the [admin API](admin.md) allows: `viewer` or `editor`");
    from.describe(VALUE, "", "the token, at least " + SHORTEST + " characters");
    from.describe(FILE, "", "or the file that holds it");
    Map<String, AdminToken> tokens = new LinkedHashMap<>();
    for (String name : from.namesUnder(PREFIX)) {
      Role role = from.chosen(ROLE, name).choice(Role.class, Role.VIEWER);
      Optional<String> value = from.chosen(VALUE, name).secret(PREFIX + name + ".file");
      if (value.isEmpty()) {
        String token = PREFIX + name;
        from.problem(token, "", "set " + token + ".value or " + token + ".file");
      }
      if (value.isPresent() && value.get().length() < SHORTEST) {
        from.secretProblem(PREFIX + name + ".value", "use at least " + SHORTEST + " characters");
      }
      value.ifPresent(secret -> tokens.put(name, new AdminToken(role, secret)));
    }
    return tokens;
  }

  /** Returns the role alone. */
  @Override
  public String toString() {
    return "AdminToken[" + role + "]";
  }
}
