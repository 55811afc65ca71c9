package dev.redline.server.rules;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.redline.core.RateLimitEngine;
import dev.redline.core.rule.RuleBook;
import dev.redline.rules.documents.RuleDocumentWriter;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The rules in force as {@code GET /v1/rules} shows them.
 *
 * @param json the whole document, values resolved
 * @param etag a tag that is the same for the same document, in quotes
 */
public record RulesPage(String json, String etag) {
  private static final int TAG_BYTES = 16;

  /** Returns a tag for a text, in quotes. */
  public static String tagOf(String text) {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8));
      return '"' + HexFormat.of().formatHex(Arrays.copyOf(digest, TAG_BYTES)) + '"';
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java runtime has SHA-256", e);
    }
  }

  /**
   * Returns whether a list of tags, as {@code If-Match} and {@code If-None-Match} have it, names
   * this one, or any.
   *
   * @param weakly whether weak tags count
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

  /** The page of the rules in force, made once for each rule book. Thread-safe. */
  public static final class Maker {
    private record Made(RuleBook book, RulesPage page) {}

    private final RateLimitEngine engine;
    private final LongSupplier documentVersion;
    private volatile @Nullable Made made;

    /**
     * Makes pages of what an engine goes by.
     *
     * @param documentVersion the version that the document gives itself, which changes over the
     *     admin API leave alone: the same rules are the same page
     */
    public Maker(RateLimitEngine engine, LongSupplier documentVersion) {
      this.engine = engine;
      this.documentVersion = documentVersion;
    }

    /** Returns the page, or nothing if no rules were ever in force. */
    public Optional<RulesPage> current() {
      RuleBook book = engine.book();
      if (book == null) {
        return Optional.empty();
      }
      Made known = made;
      if (known == null || known.book() != book) {
        String json = RuleDocumentWriter.toJson(RuleLayers.of(book, documentVersion.getAsLong()));
        known = new Made(book, new RulesPage(json, tagOf(json)));
        made = known;
      }
      return Optional.of(known.page());
    }
  }
}
