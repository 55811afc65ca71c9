package dev.redline.core.key;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * One part of a rule's key: which property of a request distinguishes callers.
 *
 * @param kind what the property is
 * @param name which header, attribute or path variable; empty for the other kinds
 */
public record KeyField(Kind kind, String name) {
  /** The kinds of key field; each has a letter of its own in encoded identities. */
  public enum Kind {
    /** Nothing: everybody shares. */
    GLOBAL("global", 'g', false),
    /** The client address, IPv6 grouped by prefix. */
    IP("ip", 'i', false),
    /** The authenticated user. */
    USER_ID("userId", 'u', false),
    /** The API key, as its digest. */
    API_KEY("apiKey", 'k', false),
    /** The normalised path. */
    PATH("path", 'p', false),
    /** The HTTP method. */
    METHOD("method", 'm', false),
    /** A named request header. */
    HEADER("header", 'h', true),
    /** A named attribute. */
    ATTRIBUTE("attribute", 'a', true),
    /** A named variable of the rule's path pattern. */
    PATH_VARIABLE("path", 'v', true);

    private final String word;
    private final char letter;
    private final String prefix;
    private final boolean named;

    Kind(String word, char letter, boolean named) {
      this.word = word;
      this.letter = letter;
      this.prefix = letter + ":";
      this.named = named;
    }

    /** Returns the letter that stands for this kind in identities. */
    public char letter() {
      return letter;
    }

    /** Returns what an identity of one field of this kind begins with: the letter and a colon. */
    public String prefix() {
      return prefix;
    }
  }

  /** Checks that exactly the kinds that need a name have one. */
  public KeyField {
    if (kind.named == name.isEmpty()) {
      throw new IllegalArgumentException(
          kind.named ? "a name must follow '" + kind.word + ":'" : kind.word + " takes no name");
    }
  }

  /** Returns the field that everybody shares. */
  public static KeyField global() {
    return new KeyField(Kind.GLOBAL, "");
  }

  /** Returns the client address. */
  public static KeyField ip() {
    return new KeyField(Kind.IP, "");
  }

  /** Returns the authenticated user. */
  public static KeyField userId() {
    return new KeyField(Kind.USER_ID, "");
  }

  /** Returns the API key. */
  public static KeyField apiKey() {
    return new KeyField(Kind.API_KEY, "");
  }

  /** Returns the named header. */
  public static KeyField header(String name) {
    return new KeyField(Kind.HEADER, name);
  }

  /** Returns the named attribute. */
  public static KeyField attribute(String name) {
    return new KeyField(Kind.ATTRIBUTE, name);
  }

  /** Returns the named variable of the rule's path pattern. */
  public static KeyField pathVariable(String name) {
    return new KeyField(Kind.PATH_VARIABLE, name);
  }

  /**
   * Returns the field written as {@code ip}, {@code header:X-Tenant-Id}, {@code path:id}…; the
   * spellings of {@link dev.redline.core.rule.LimitScope} are understood too.
   */
  public static KeyField parse(String text) {
    int colon = text.indexOf(':');
    String word = (colon < 0 ? text : text.substring(0, colon)).trim();
    String name = colon < 0 ? "" : text.substring(colon + 1).trim();
    String folded = word.toLowerCase(Locale.ROOT).replace("_", "").replace("-", "");
    for (Kind kind : Kind.values()) {
      if (kind.named == colon >= 0 && matches(kind, folded)) {
        return new KeyField(kind, name);
      }
    }
    throw new IllegalArgumentException(
        "unknown key field '"
            + text
            + "'; use global, ip, userId, apiKey, path, method, header:NAME, attribute:NAME or"
            + " path:NAME");
  }

  private static boolean matches(Kind kind, String folded) {
    return switch (kind) {
      case IP -> folded.equals("ip") || folded.equals("perip") || folded.equals("clientip");
      case USER_ID -> folded.equals("userid") || folded.equals("user") || folded.equals("peruser");
      case API_KEY -> folded.equals("apikey") || folded.equals("perapikey");
      default -> folded.equals(kind.word.toLowerCase(Locale.ROOT));
    };
  }

  /**
   * Returns what the request has for this field, as it was sent, or null if it has nothing. A path
   * variable is not a property of the request alone and has no value here.
   */
  public @Nullable String raw(RequestContext request) {
    return switch (kind) {
      case GLOBAL -> "";
      case IP -> request.clientIpOrNull();
      case USER_ID -> request.userIdOrNull();
      case API_KEY -> request.apiKeyOrNull();
      case PATH -> request.normalizedPath();
      case METHOD -> request.methodOrNull();
      case HEADER -> request.headerOrNull(name);
      case ATTRIBUTE -> request.attributeOrNull(name);
      case PATH_VARIABLE -> null;
    };
  }

  @Override
  public String toString() {
    return kind.named ? kind.word + ":" + name : kind.word;
  }
}
