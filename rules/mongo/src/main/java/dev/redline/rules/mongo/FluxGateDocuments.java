package dev.redline.rules.mongo;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Reads rules as FluxGate stores them: fields {@code name}, {@code scope}, {@code keyStrategyId}
 * and {@code onLimitExceedPolicy}, and bands of {@code windowSeconds}, {@code capacity} and {@code
 * label}. They mean the same here: a band is a token bucket that refills its capacity,
 * continuously, in the window; a caller without the identity that the scope asks for is limited by
 * its address.
 */
final class FluxGateDocuments {
  private static final String SCOPE = "scope";
  private static final String STRATEGY = "keyStrategyId";
  private static final String POLICY = "onLimitExceedPolicy";
  private static final String WINDOW = "windowSeconds";
  private static final List<String> KEYS = List.of("key", "limitScope");

  private FluxGateDocuments() {}

  /** Returns the rule in Redline's field names; a rule that has them already stays as it is. */
  static Map<String, Object> translate(Map<String, Object> rule) {
    boolean marked =
        rule.containsKey(SCOPE) || rule.containsKey(STRATEGY) || rule.containsKey(POLICY);
    if (!marked || KEYS.stream().anyMatch(rule::containsKey)) {
      return rule;
    }
    Map<String, Object> translated = new TreeMap<>(rule);
    Object scope = translated.remove(SCOPE);
    Object strategy = translated.remove(STRATEGY);
    if (isCustom(scope)) {
      translated.put("key", customKey(strategy));
    } else {
      // A scope is required by FluxGate; one that is absent means the address there.
      translated.put("limitScope", scope == null ? "PER_IP" : scope);
    }
    Object policy = translated.remove(POLICY);
    if (policy != null) {
      translated.putIfAbsent("onLimitExceed", policy);
    }
    Object name = translated.remove("name");
    if (name != null) {
      nameInMetadata(translated, name);
    }
    if (translated.get("bands") instanceof List<?> bands) {
      translated.put("bands", bands(bands));
    }
    return translated;
  }

  private static boolean isCustom(@Nullable Object scope) {
    return scope instanceof String text && text.equalsIgnoreCase("CUSTOM");
  }

  /** FluxGate looks the name up in the attributes of the request, and else takes the address. */
  private static String customKey(@Nullable Object strategy) {
    return strategy instanceof String name && !name.isEmpty() ? "attribute:" + name : "ip";
  }

  private static void nameInMetadata(Map<String, Object> rule, Object name) {
    String field = rule.containsKey("attributes") ? "attributes" : "metadata";
    Map<String, Object> metadata = new TreeMap<>();
    if (rule.get(field) instanceof Map<?, ?> existing) {
      existing.forEach((key, value) -> metadata.put(String.valueOf(key), value));
    } else if (rule.containsKey(field)) {
      return;
    }
    metadata.putIfAbsent("name", name);
    rule.put(field, metadata);
  }

  private static List<Object> bands(List<?> bands) {
    List<Object> translated = new ArrayList<>();
    for (Object band : bands) {
      if (band instanceof Map<?, ?> map && map.containsKey(WINDOW)) {
        Map<String, Object> fields = new TreeMap<>();
        map.forEach(
            (name, value) ->
                fields.put(name.equals(WINDOW) ? "refillSeconds" : String.valueOf(name), value));
        translated.add(fields);
      } else {
        translated.add(band);
      }
    }
    return translated;
  }
}
