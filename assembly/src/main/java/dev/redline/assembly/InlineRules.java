package dev.redline.assembly;

import dev.redline.core.spi.ConfigProvider;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The source {@code INLINE}: rules that stand in the host's configuration as {@code rl.plans},
 * {@code rl.rules} and {@code rl.rule-sets}, in the form {@code rl.rules[0].limit=10/s}. Fields may
 * be written with dashes: {@code limit-scope}. Without any it holds an empty document.
 */
public final class InlineRules implements ConfigProvider {
  /** No inline rules. */
  public static final InlineRules NONE = of(Map.of());

  private static final Pattern SECTION =
      Pattern.compile("rl\\.(plans|rules|rule-?sets)\\[.*", Pattern.CASE_INSENSITIVE);
  private static final Pattern STEP = Pattern.compile("\\[[^\\]]*]|[^.\\[]+|\\.");
  private static final Set<String> FREE_NAMES = Set.of("metadata", "attributes", "headers");

  private final Map<String, String> rules = new TreeMap<>();
  private final Map<String, String> others = new LinkedHashMap<>();

  private InlineRules() {}

  /** Takes the rules out of the properties of a host. */
  public static InlineRules of(Map<String, String> properties) {
    InlineRules inline = new InlineRules();
    properties.forEach(
        (name, value) -> {
          boolean isRule = SECTION.matcher(name).matches();
          (isRule ? inline.rules : inline.others).put(name, value);
        });
    return inline;
  }

  /** Returns whether there are no inline rules. */
  public boolean isEmpty() {
    return rules.isEmpty();
  }

  /** Returns the properties that are not part of a rule. */
  public Map<String, String> otherProperties() {
    return Map.copyOf(others);
  }

  String firstProperty() {
    return rules.keySet().iterator().next();
  }

  @Override
  public String name() {
    return HostProfile.INLINE;
  }

  @Override
  public boolean canChange() {
    return false;
  }

  @Override
  public Optional<Snapshot> load() {
    Document document =
        rules.isEmpty()
            ? new Document("rl.rules", "{\"rules\":[]}")
            : new Document("rl.properties", text());
    return Optional.of(
        new Snapshot(Integer.toString(document.content().hashCode()), List.of(document)));
  }

  /** Returns the rules as the text of a properties file. */
  private String text() {
    StringBuilder text = new StringBuilder();
    rules.forEach(
        (name, value) -> {
          append(text, fieldNames(name.substring("rl.".length())), true);
          text.append('=');
          append(text, value, false);
          text.append('\n');
        });
    return text.toString();
  }

  /** Returns the name with {@code limit-scope} as {@code limitScope}, up to names of users. */
  private static String fieldNames(String name) {
    StringBuilder converted = new StringBuilder();
    boolean convert = true;
    Matcher steps = STEP.matcher(name);
    while (steps.find()) {
      String step = steps.group();
      converted.append(convert && !step.startsWith("[") ? camelCase(step) : step);
      convert &= !FREE_NAMES.contains(step);
    }
    return converted.toString();
  }

  private static String camelCase(String dashed) {
    StringBuilder text = new StringBuilder();
    boolean upper = false;
    for (int i = 0; i < dashed.length(); i++) {
      char c = dashed.charAt(i);
      if (c == '-') {
        upper = true;
      } else {
        text.append(upper ? Character.toUpperCase(c) : c);
        upper = false;
      }
    }
    return text.toString();
  }

  /** Escapes what separates or ends in a properties file. */
  private static void append(StringBuilder text, String part, boolean name) {
    for (int i = 0; i < part.length(); i++) {
      char c = part.charAt(i);
      switch (c) {
        case '\n' -> text.append("\\n");
        case '\r' -> text.append("\\r");
        case '\\' -> text.append("\\\\");
        case '=', ':', ' ', '\t', '\f', '#', '!' ->
            text.append(name || i == 0 ? "\\" : "").append(c);
        default -> text.append(c);
      }
    }
  }
}
