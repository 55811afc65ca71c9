package dev.redline.core.internal.settings;

import dev.redline.core.internal.limit.DurationText;
import dev.redline.core.spi.PropertyReader.Property;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A property of {@link FlatProperties}. */
final class FlatProperty implements Property {
  /** Longer ones would overflow where they are counted in nanoseconds. */
  private static final Duration LONGEST = Duration.ofDays(366);

  private final FlatProperties reader;
  private final String name;
  private final @Nullable String text;
  private @Nullable String unlessSet;

  FlatProperty(FlatProperties reader, String name, @Nullable String text) {
    this.reader = reader;
    this.name = name;
    this.text = text;
  }

  @Override
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

  @Override
  public <T> Optional<T> parsed(String allowed, Function<String, T> parser) {
    describe("");
    return read(allowed, parser);
  }

  @Override
  public Optional<String> text() {
    describe("");
    return Optional.ofNullable(reader.value(name));
  }

  @Override
  public String text(String standard) {
    describe(standard);
    return Optional.ofNullable(reader.value(name)).orElse(standard);
  }

  @Override
  public Optional<String> secret() {
    String fileName = name + "-file";
    if (text != null) {
      String shown = unlessSet == null ? "" : unlessSet;
      reader.describe(name, shown, text + "; or `" + fileName + "`: the file that holds it");
    }
    return secret(fileName);
  }

  @Override
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
      String content = Files.readString(Path.of(path)).strip();
      if (content.isEmpty()) {
        // An empty token would let everybody in.
        reader.problem(fileName, path, "the file must not be empty");
        return Optional.empty();
      }
      return Optional.of(content);
    } catch (IOException e) {
      reader.problem(fileName, path, "the file must exist and be readable");
      return Optional.empty();
    }
  }

  @Override
  public boolean bool(boolean standard) {
    describe(standard);
    return read("use true or false", FlatProperty::parseBoolean).orElse(standard);
  }

  private static boolean parseBoolean(String value) {
    return switch (value.toLowerCase(Locale.ROOT)) {
      case "true" -> true;
      case "false" -> false;
      default -> throw new IllegalArgumentException(value);
    };
  }

  @Override
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

  @Override
  public int integer(int standard, int min, int max) {
    return (int) number(standard, min, max);
  }

  @Override
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

  @Override
  public Duration duration(Duration standard) {
    describe(
        standard.toMillisPart() == 0 ? standard.toSeconds() + "s" : standard.toMillis() + "ms");
    Duration duration =
        read(
                "use a duration such as 50ms, 2s or 5m",
                value -> {
                  Duration parsed = DurationText.parse(value);
                  if (parsed.isNegative() || parsed.isZero()) {
                    throw new IllegalArgumentException(value);
                  }
                  return parsed;
                })
            .orElse(standard);
    if (duration.compareTo(LONGEST) > 0) {
      reader.problem(
          name, String.valueOf(reader.value(name)), "use at most " + LONGEST.toDays() + "d");
      return standard;
    }
    return duration;
  }

  @Override
  public <E extends Enum<E>> E choice(Class<E> type, E standard) {
    describe("`" + standard + "`");
    return read(allowed(type), value -> constant(type, value)).orElse(standard);
  }

  @Override
  public <E extends Enum<E>> Optional<E> choice(Class<E> type) {
    describe("");
    return read(allowed(type), value -> constant(type, value));
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

  @Override
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
