package dev.redline.server.rules;

import dev.redline.core.RateLimitEngine;
import dev.redline.core.internal.digest.Sha256;
import dev.redline.core.rule.RuleBook;
import dev.redline.rules.documents.RuleDocumentWriter;
import java.util.HexFormat;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The response of {@code GET /v1/rules}: the rules in force.
 *
 * @param json the whole document, values resolved
 * @param etag a digest of the document, in quotes
 */
public record RulesPage(String json, String etag) {
  private static final int TAG_BYTES = 16;

  /** Returns the ETag of a text, in quotes. */
  public static String tagOf(String text) {
    return '"' + HexFormat.of().formatHex(Sha256.of(text), 0, TAG_BYTES) + '"';
  }

  /**
   * Returns whether the value of {@code If-Match} or {@code If-None-Match} contains a tag, or is
   * {@code *}.
   *
   * @param weakly whether weak tags count (weak comparison of RFC 9110)
   */
  public static boolean names(String tags, String etag, boolean weakly) {
    for (String part : tags.split(",", -1)) {
      String tag = part.strip();
      if (tag.equals("*") || tag.equals(etag) || (weakly && tag.equals("W/" + etag))) {
        return true;
      }
    }
    return false;
  }

  /** Creates the page once for each rule book, and caches it. Thread-safe. */
  public static final class Maker {
    private record Cached(RuleBook book, RulesPage page) {}

    private final RateLimitEngine engine;
    private final LongSupplier documentVersion;
    private volatile @Nullable Cached cached;

    /**
     * Creates pages of the rules in force in an engine.
     *
     * @param documentVersion the version in the document; changes through the admin API must not
     *     change it, so that nodes with the same rules have the same ETag
     */
    public Maker(RateLimitEngine engine, LongSupplier documentVersion) {
      this.engine = engine;
      this.documentVersion = documentVersion;
    }

    /** Returns the page; empty if no rules were loaded yet. */
    public Optional<RulesPage> current() {
      RuleBook book = engine.book();
      if (book == null) {
        return Optional.empty();
      }
      Cached current = cached;
      if (current == null || current.book() != book) {
        String json = RuleDocumentWriter.toJson(RuleLayers.of(book, documentVersion.getAsLong()));
        current = new Cached(book, new RulesPage(json, tagOf(json)));
        cached = current;
      }
      return Optional.of(current.page());
    }
  }
}
