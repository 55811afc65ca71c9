package dev.redline.server.cli;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The words after a command: options such as {@code --port 8080} or {@code --port=8080}, switches
 * such as {@code --strict}, and the rest in order.
 */
final class Arguments {
  private final Map<String, List<String>> options = new LinkedHashMap<>();
  private final List<String> rest = new ArrayList<>();

  private Arguments() {}

  /**
   * Parses the words.
   *
   * @param options the options that take a value, with their dashes
   * @param switches the options that take none
   * @throws UsageException if an option is unknown or its value is missing or empty
   */
  static Arguments parse(List<String> words, Set<String> options, Set<String> switches) {
    Arguments arguments = new Arguments();
    for (int i = 0; i < words.size(); i++) {
      String word = words.get(i);
      if (word.equals("--")) {
        arguments.rest.addAll(words.subList(i + 1, words.size()));
        break;
      }
      if (!word.startsWith("--")) {
        arguments.rest.add(word);
        continue;
      }
      int equals = word.indexOf('=');
      String name = equals < 0 ? word : word.substring(0, equals);
      boolean property = name.startsWith("--rl.") && options.contains("--rl.");
      if (switches.contains(name) && equals < 0) {
        arguments.add(name, "");
      } else if (!options.contains(name) && !property) {
        throw new UsageException("unknown option " + name);
      } else if (equals >= 0) {
        arguments.add(name, value(name, word.substring(equals + 1)));
      } else if (i + 1 < words.size() && !words.get(i + 1).startsWith("--")) {
        arguments.add(name, value(name, words.get(++i)));
      } else {
        throw new UsageException("option " + name + " needs a value");
      }
    }
    return arguments;
  }

  /** Rejects an empty value, as an unset variable of a shell gives. */
  private static String value(String name, String value) {
    if (value.isBlank()) {
      throw new UsageException("option " + name + " needs a value; it is empty");
    }
    return value;
  }

  private void add(String name, String value) {
    options.computeIfAbsent(name, unused -> new ArrayList<>()).add(value);
  }

  boolean has(String name) {
    return options.containsKey(name);
  }

  /** Returns all values of an option that may be repeated. */
  List<String> all(String name) {
    return options.getOrDefault(name, List.of());
  }

  /** Returns the value of an option that may be given once. */
  Optional<String> one(String name) {
    List<String> values = all(name);
    if (values.size() > 1) {
      throw new UsageException("option " + name + " is given twice");
    }
    return values.stream().findFirst();
  }

  /** Returns the names of the options that were given. */
  Set<String> names() {
    return options.keySet();
  }

  /** Returns the words that are not options. */
  List<String> rest() {
    return rest;
  }
}
