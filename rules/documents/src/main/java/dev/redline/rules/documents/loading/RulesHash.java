package dev.redline.rules.documents.loading;

import dev.redline.rules.documents.RuleDocument;
import dev.redline.rules.documents.RuleDocumentWriter;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** A short hash of rules, by which operators see whether nodes have the same. */
final class RulesHash {
  /** As many bits as a metric, which is a double, holds exactly. */
  private static final int BITS = 48;

  private RulesHash() {}

  /**
   * Returns the hash: equal in all processes for documents that differ only in their version and in
   * the order of their parts.
   */
  static long of(RuleDocument document) {
    Map<String, Object> content = new LinkedHashMap<>(RuleDocumentWriter.toMap(document));
    content.remove("version");
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256")
              .digest(inOrder(content).getBytes(StandardCharsets.UTF_8));
      return ByteBuffer.wrap(digest).getLong() >>> (Long.SIZE - BITS);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  /** Returns a value as text. Sets and maps have another order in each process. */
  private static String inOrder(Object value) {
    if (value instanceof Map<?, ?> map) {
      Map<String, String> sorted = new TreeMap<>();
      map.forEach((key, entry) -> sorted.put(String.valueOf(key), inOrder(entry)));
      return sorted.toString();
    }
    if (value instanceof Collection<?> items) {
      return items.stream()
          .map(item -> inOrder(Objects.requireNonNull(item)))
          .sorted()
          .collect(Collectors.joining(",", "[", "]"));
    }
    return String.valueOf(value);
  }
}
