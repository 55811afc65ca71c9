package dev.redline.rules.documents.internal.syntax;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The words a field takes, read ignoring case, {@code -} and {@code _}.
 *
 * @param canonical the words as they are documented
 * @param byFoldedWord what every word means, other spellings included
 */
public record EnumReader<E extends Enum<E>>(List<String> canonical, Map<String, E> byFoldedWord) {
  /** Returns the names of an enum's constants, and other spellings for some of them. */
  public static <E extends Enum<E>> EnumReader<E> of(Class<E> type, Map<String, E> aliases) {
    Map<String, E> words = new HashMap<>();
    aliases.forEach((alias, value) -> words.put(Suggestions.fold(alias), value));
    for (E value : type.getEnumConstants()) {
      words.put(Suggestions.fold(value.name()), value);
    }
    return new EnumReader<>(
        Arrays.stream(type.getEnumConstants()).map(Enum::name).toList(), Map.copyOf(words));
  }

  public static <E extends Enum<E>> EnumReader<E> of(Class<E> type) {
    return of(type, Map.of());
  }

  /** Returns what a word means. */
  public E read(String field, String word) {
    E value = byFoldedWord.get(Suggestions.fold(word));
    if (value == null) {
      int last = canonical.size() - 1;
      throw new MisspeltException(
          field
              + " must be "
              + String.join(", ", canonical.subList(0, last))
              + " or "
              + canonical.get(last)
              + ", was '"
              + word
              + "'",
          Suggestions.closest(word, canonical));
    }
    return value;
  }
}
