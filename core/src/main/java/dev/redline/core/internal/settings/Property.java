package dev.redline.core.internal.settings;

import dev.redline.core.internal.limit.DurationText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** One property, to be read once as a value of some type. A wrong value is reported. */
public final class Property {
  private final PropertyReader reader;
  private final String name;
  private final @Nullable String text;
  private @Nullable String unlessSet;

  Property(PropertyReader reader, String name, @Nullable String text) {
    this.reader = reader;
    this.name = name;
    this.text = text;
  }

  /** Shows users this instead of the default value. */
  public Property unlessSet(String shown) {
    unlessSet = shown;
    return this;
  }

  private void describe(Object value) {
    if (text != null) {
      reader.describe(name, unlessSet == null ? value.toString() : unlessSet, text);
    }
  }

  private <T> Optional<T> read(String allowed, Function<String, T> parser) {
    String value = reader.value(name);
    if (value == null) {
      return Optional.empty();
    }
    try {
      return Optional.of(parser.apply(value));
    } catch (IllegalArgumentException e) {
      reader.problem(name, value, allowed);
      return Optional.empty();
    }
  }

  /**
   * Reads a value of any type.
   *
   * @param allowed what is allowed, as the end of a problem: {@code "use a directory"}
   * @param parser throws {@link IllegalArgumentException} for what is not allowed
   */
  public <T> Optional<T> parsed(String allowed, Function<String, T> parser) {
    describe("");
    return read(allowed, parser);
  }

  /** Reads any text. */
  public Optional<String> text() {
    describe("");
    return Optional.ofNullable(reader.value(name));
  }

  /** Reads any text. */
  public String text(String standard) {
    describe(standard);
    return Optional.ofNullable(reader.value(name)).orElse(standard);
  }

  /** Reads a secret, given as it is or as the file that holds it: {@code NAME-file}. */
  public Optional<String> secret() {
    String fileName = name + "-file";
    if (text != null) {
      String shown = unlessSet == null ? "" : unlessSet;
      reader.describe(name, shown, text + "; or `" + fileName + "`: the file that holds it");
    }
    return secret(fileName);
  }

  /** Reads a secret, given as it is or as the file that another property names. */
  public Optional<String> secret(String fileName) {
    Optional<String> value = Optional.ofNullable(reader.value(name));
    Optional<String> file = Optional.ofNullable(reader.value(fileName));
    if (value.isPresent() && file.isPresent()) {
      reader.conflict(name, fileName);
    }
    return value.or(() -> file.flatMap(path -> content(fileName, path)));
  }

  private Optional<String> content(String fileName, String path) {
    try {
      return Optional.of(Files.readString(Path.of(path)).strip());
    } catch (IOException e) {
      reader.problem(fileName, path, "the file must exist and be readable");
      return Optional.empty();
    }
  }

  /** Reads true or false. */
  public boolean bool(boolean standard) {
    describe(standard);
    return read("use true or false", Property::parseBoolean).orElse(standard);
  }

  private static boolean parseBoolean(String value) {
    return switch (value.toLowerCase(Locale.ROOT)) {
      case "true" -> true;
      case "false" -> false;
      default -> throw new IllegalArgumentException(value);
    };
  }

  /** Reads a whole number from {@code min} to {@code max}. */
  public long number(long standard, long min, long max) {
    describe(standard);
    return read(
            "use a whole number from " + min + " to " + max,
            value -> {
              long number = Long.parseLong(value.replace("_", ""));
              if (number < min || number > max) {
                throw new IllegalArgumentException(value);
              }
              return number;
            })
        .orElse(standard);
  }

  /** Reads a whole number from {@code min} to {@code max}. */
  public int integer(int standard, int min, int max) {
    return (int) number(standard, min, max);
  }

  /** Reads a number above 0 and up to {@code max}. */
  public double fraction(double standard, double max) {
    describe(standard);
    return read(
            "use a number above 0 and up to " + max,
            value -> {
              double number = Double.parseDouble(value);
              if (!(number > 0 && number <= max)) {
                throw new IllegalArgumentException(value);
              }
              return number;
            })
        .orElse(standard);
  }

  /** Reads a positive duration. */
  public Duration duration(Duration standard) {
    describe(
        standard.toMillisPart() == 0 ? standard.toSeconds() + "s" : standard.toMillis() + "ms");
    return read(
            "use a duration such as 50ms, 2s or 5m",
            value -> {
              Duration duration = DurationText.parse(value);
              if (duration.isNegative() || duration.isZero()) {
                throw new IllegalArgumentException(value);
              }
              return duration;
            })
        .orElse(standard);
  }

  /** Reads the name of a constant. */
  public <E extends Enum<E>> E choice(Class<E> type, E standard) {
    describe("`" + standard + "`");
    return read(allowed(type), value -> constant(type, value)).orElse(standard);
  }

  /** Reads the name of a constant. */
  public <E extends Enum<E>> Optional<E> choice(Class<E> type) {
    describe("");
    return read(allowed(type), value -> constant(type, value));
  }

  /** Reads the names of constants, separated by commas. */
  public <E extends Enum<E>> List<E> choices(Class<E> type, E standard) {
    unlessSet = "`" + standard + "`";
    List<String> words = words();
    if (words.isEmpty()) {
      return List.of(standard);
    }
    List<E> chosen = new ArrayList<>();
    for (String word : words) {
      try {
        chosen.add(constant(type, word));
      } catch (IllegalArgumentException e) {
        reader.problem(name, word, allowed(type));
      }
    }
    return chosen;
  }

  private static <E extends Enum<E>> String allowed(Class<E> type) {
    return "use one of "
        + String.join(", ", Arrays.stream(type.getEnumConstants()).map(Enum::name).toList());
  }

  private static <E extends Enum<E>> E constant(Class<E> type, String value) {
    for (E constant : type.getEnumConstants()) {
      if (PropertyNames.fold(constant.name()).equals(PropertyNames.fold(value))) {
        return constant;
      }
    }
    throw new IllegalArgumentException(value);
  }

  /** Reads words separated by commas. */
  public List<String> words() {
    describe("");
    String value = reader.value(name);
    if (value == null) {
      return List.of();
    }
    return Arrays.stream(value.split(","))
        .map(String::trim)
        .filter(word -> !word.isEmpty())
        .toList();
  }
}
