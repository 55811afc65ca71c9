package dev.redline.core.spi;

import java.util.List;

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
}
