package dev.redline.server.settings;

import dev.redline.core.spi.PropertyReader;
import java.util.LinkedHashMap;
import java.util.Map;

/** The tokens of the data plane's callers. */
final class CallerTokens {
  private static final String PREFIX = "rl.server.auth.tokens.";
  private static final String TOKEN = PREFIX + "<name>";
  private static final String FILE = TOKEN + "-file";
  private static final String FILE_SUFFIX = "-file";

  private CallerTokens() {}

  /** Returns the tokens by name. */
  static Map<String, String> read(PropertyReader from) {
    from.describe(
        TOKEN,
        "",
        "callers of the data plane must send one of these tokens, if there are any:"
            + " `Authorization: Bearer …` or `X-Redline-Token`");
    from.describe(FILE, "", "or the file that holds it");
    Map<String, String> tokens = new LinkedHashMap<>();
    for (String written : from.leavesUnder(PREFIX)) {
      String name =
          written.endsWith(FILE_SUFFIX)
              ? written.substring(0, written.length() - FILE_SUFFIX.length())
              : written;
      if (!tokens.containsKey(name)) {
        from.chosen(TOKEN, name)
            .secret(PREFIX + name + FILE_SUFFIX)
            .ifPresentOrElse(
                token -> tokens.put(name, token),
                () -> from.secretProblem(PREFIX + written, "a token must not be empty"));
      }
    }
    return tokens;
  }
}
