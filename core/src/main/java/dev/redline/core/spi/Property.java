package dev.redline.core.spi;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * One property of a {@link PropertyReader}, to be read once as a value of some type. A value that
 * is not allowed is reported as a problem, and the default is returned; an empty value counts as
 * absent.
 */
public interface Property {
  /** Shows users this text instead of the default value. */
  Property unlessSet(String shown);

  /** Reads any text. */
  Optional<String> text();

  /** Reads any text. */
  String text(String standard);

  /** Reads a secret, given as it is or as the file that holds it: {@code NAME-file}. */
  Optional<String> secret();

  /** Reads a secret, given as it is or as the file that another property names. */
  Optional<String> secret(String fileName);

  /** Reads true or false. */
  boolean bool(boolean standard);

  /** Reads a whole number from {@code min} to {@code max}. */
  long number(long standard, long min, long max);

  /** Reads a whole number from {@code min} to {@code max}. */
  int integer(int standard, int min, int max);

  /** Reads a number above 0 and up to {@code max}. */
  double fraction(double standard, double max);

  /** Reads a positive duration, such as {@code 50ms}. */
  Duration duration(Duration standard);

  /** Reads the name of a constant, ignoring case, dashes and underscores. */
  <E extends Enum<E>> E choice(Class<E> type, E standard);

  /** Reads the name of a constant, ignoring case, dashes and underscores. */
  <E extends Enum<E>> Optional<E> choice(Class<E> type);

  /** Reads words separated by commas. */
  List<String> words();

  /**
   * Reads a value of any type.
   *
   * @param allowed what is allowed, as the end of a problem: {@code "use a directory"}
   * @param parser throws {@link IllegalArgumentException} for what is not allowed
   */
  <T> Optional<T> parsed(String allowed, Function<String, T> parser);
}
