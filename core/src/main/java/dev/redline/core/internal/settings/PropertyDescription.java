package dev.redline.core.internal.settings;

/**
 * What users read about a property.
 *
 * @param name the name; {@code <name>} in it stands for a name that users choose
 * @param unlessSet the default as it is shown; empty if there is none
 * @param text what it means, in Markdown
 */
public record PropertyDescription(String name, String unlessSet, String text) {
  /** What stands in a name for a part that users choose. */
  static final String CHOSEN = "<name>";
}
