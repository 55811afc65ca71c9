package dev.redline.core.spi;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * The {@code rl.*} properties of an application while its modules read them. Reading a property
 * also declares it: a property that no reader declares is unknown and stops the start, and one that
 * is read has an environment variable and stands in the documentation.
 *
 * <p>Every property is read at every start, so that all problems are reported together: report one
 * and go on with any valid value. Used by one thread.
 */
public interface PropertyReader {
  /**
   * Returns a property to read.
   *
   * @param name its name, such as {@code rl.acme.uri}
   * @param text what users read about it, in Markdown
   */
  Property property(String name, String text);

  /**
   * Declares properties whose names users choose in part: {@code rl.acme.tenants.<name>.uri}. Each
   * is read by {@link #chosen}.
   *
   * @param name the name with {@code <name>} in it
   * @param unlessSet the default as it is shown; empty if there is none
   * @param text what users read about it, in Markdown
   */
  void describe(String name, String unlessSet, String text);

  /** Returns the property that a {@linkplain #describe described} name stands for. */
  Property chosen(String described, String name);

  /** Returns the names that occur between a prefix and the next dot, as they were written. */
  List<String> namesUnder(String prefix);

  /** Returns the names that end right after a prefix, without another dot, as they were written. */
  List<String> leavesUnder(String prefix);

  /**
   * Reports what is wrong with a property.
   *
   * @param allowed what is allowed: {@code "use a directory"}
   */
  void problem(String name, String value, String allowed);

  /** Reports what is wrong with a property whose value must not be shown. */
  void secretProblem(String name, String allowed);

  /** Rejects a property by name, also as an environment variable. */
  void reject(String name, String reason);

  /** Rejects every property under a prefix that was not read. */
  void rejectUnder(String prefix, String reason);

  /**
   * One property of a {@link PropertyReader}, to be read once as a value of some type. A value that
   * is not allowed is reported as a problem, and the default is returned; an empty value counts as
   * absent.
   */
  interface Property {
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
}
