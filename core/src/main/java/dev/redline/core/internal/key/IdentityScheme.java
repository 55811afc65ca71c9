package dev.redline.core.internal.key;

import dev.redline.core.internal.path.PathNormalizer;
import dev.redline.core.internal.path.PathPattern;
import dev.redline.core.key.IdentitySettings;
import dev.redline.core.key.IpAddress;
import dev.redline.core.key.KeyField;
import dev.redline.core.key.KeyField.Kind;
import dev.redline.core.key.KeyResolver;
import dev.redline.core.key.RequestContext;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * How one rule names its callers: key fields to one text that no other combination of values can
 * produce.
 *
 * <p>One field reads {@code u:alice}; several are length-prefixed, {@code i9:127.0.0.1u5:alice};
 * the letter is the kind, so that user "1", API key "1" and address "1" differ. An identity too
 * long to be kept a million times is replaced by its SHA-256.
 */
public final class IdentityScheme {
  private static final int LONGEST = 256;
  private static final String GLOBAL_IDENTITY = "g:";

  /**
   * The identity of callers without a key. No key has it: identities begin with the letter of their
   * kind, and a key under plans that begins like a digest is digested.
   */
  public static final String NO_KEY = "x:";

  /** What several values under plans begin with; see {@link #NO_KEY}. */
  private static final String COMPOSITE = "x:+";

  private static final char RESOLVED = 'c';
  private static final char NAMED = 'n';
  private static final char HEADER_VALUES = 'H';

  private final List<KeyField> fields;
  private final @Nullable KeyField only;
  private final List<PathPattern> patterns;
  private final IdentitySettings settings;

  /** The fields whose values are credentials. */
  private final Set<KeyField> credentials;

  /**
   * Creates the scheme of a rule.
   *
   * @param fields what the rule is keyed by; {@code global} adds nothing to other fields
   * @param patterns the rule's path patterns, where path variables come from
   */
  public IdentityScheme(
      List<KeyField> fields, List<PathPattern> patterns, IdentitySettings settings) {
    this.fields = fields.stream().filter(field -> field.kind() != Kind.GLOBAL).toList();
    this.only = this.fields.size() == 1 ? this.fields.get(0) : null;
    this.patterns = List.copyOf(patterns);
    this.settings = settings;
    this.credentials =
        this.fields.stream().filter(settings::isCredential).collect(Collectors.toSet());
  }

  /** Returns the identity for what an application's own {@link KeyResolver} resolved. */
  public static String resolved(String value) {
    return resolved(value, LongIdentities.COMPUTED);
  }

  /** Is {@link #resolved(String)} with digests of the caller. */
  public static String resolved(String value, LongIdentities digests) {
    return bounded(RESOLVED + ":" + value, digests);
  }

  /**
   * Returns the identity for a key under plans: the key itself, or its digest if it is too long to
   * be kept. A key that looks like a digest is digested too, so that it is not the same as another.
   */
  public static String ofPlanKey(String key) {
    return key.length() > LONGEST || IdentityDigest.isOne(key) ? IdentityDigest.of(key) : key;
  }

  /**
   * Returns the identity for values of unknown kind, for callers that own the rules.
   *
   * @throws IllegalArgumentException if there is no value, or one is empty
   */
  public static String named(List<String> values) {
    if (values.isEmpty() || values.contains("")) {
      throw new IllegalArgumentException("identity must not be empty");
    }
    if (values.size() == 1) {
      return bounded(NAMED + ":" + values.get(0));
    }
    StringBuilder text = new StringBuilder(64);
    values.forEach(value -> append(text, NAMED, value));
    return bounded(text.toString());
  }

  /** Returns the identity for one value of unknown kind, not empty. */
  public static String named(String value) {
    return bounded(NAMED + ":" + value);
  }

  /**
   * Returns the identity for several identities together; no other identities give the same, and it
   * is no identity of a single value. As a key under plans, no text names it.
   */
  public static String composite(List<String> identities, boolean underPlan) {
    StringBuilder text = new StringBuilder(64);
    for (String each : identities) {
      text.append(each.length()).append(':').append(each);
    }
    if (!underPlan) {
      return bounded(text.toString());
    }
    // A digest has no colon after its first characters, so the two forms differ.
    String plain = text.toString();
    return COMPOSITE + (plain.length() <= LONGEST ? plain : IdentityDigest.of(plain).substring(2));
  }

  /** Returns the fields that distinguish callers; empty if all share one bucket. */
  public List<KeyField> fields() {
    return fields;
  }

  /**
   * Returns the identity of the request's caller, or null if it has none.
   *
   * @param borrowIp whether the client address stands in for a missing part
   */
  public @Nullable String identity(RequestContext request, boolean borrowIp) {
    return identity(request, borrowIp, LongIdentities.COMPUTED);
  }

  /** Is {@link #identity(RequestContext, boolean)} with digests of the caller. */
  public @Nullable String identity(
      RequestContext request, boolean borrowIp, LongIdentities digests) {
    if (fields.isEmpty()) {
      return GLOBAL_IDENTITY;
    }
    if (only != null) {
      return identity(only, request, borrowIp, digests);
    }
    List<Part> parts = parts(request, borrowIp);
    return parts == null ? null : bounded(encode(parts), digests);
  }

  /** Returns the identity by one field; the most frequent key, and so without a {@link Part}. */
  private @Nullable String identity(
      KeyField field, RequestContext request, boolean borrowIp, LongIdentities digests) {
    if (field.kind() == Kind.IP) {
      return address(request);
    }
    if (field.kind() == Kind.HEADER && request.headerValues(field.name()).size() > 1) {
      return bounded(single(ofValues(field, request.headerValues(field.name()))), digests);
    }
    String value = value(field, request);
    if (value != null && !value.isEmpty()) {
      return bounded(field.kind().prefix().concat(value), digests);
    }
    return borrowIp ? address(request) : null;
  }

  /** Returns the identity of the request's address, or null if it has none. */
  public @Nullable String address(RequestContext request) {
    IpAddress address = request.clientAddress();
    if (address == null) {
      return null;
    }
    return address.v4()
        ? address.prefixed(Kind.IP.prefix())
        : bounded(Kind.IP.prefix().concat(settings.caller(address)));
  }

  /** Returns the parts of the identity as people may see them, or null if one is missing. */
  public @Nullable List<String> shown(RequestContext request, boolean borrowIp) {
    List<Part> parts = parts(request, borrowIp);
    return parts == null ? null : parts.stream().map(Part::shown).toList();
  }

  /**
   * Returns the identity for values given instead of a request, one per field.
   *
   * @throws IllegalArgumentException if a value is missing, empty or not of its kind
   */
  public String identityOf(List<String> values) {
    if (fields.isEmpty()) {
      return GLOBAL_IDENTITY;
    }
    List<Part> parts = partsOf(values);
    return bounded(parts.size() == 1 ? single(parts.get(0)) : encode(parts));
  }

  /** Returns the given values as people may see them; as {@link #identityOf} otherwise. */
  public List<String> shownOf(List<String> values) {
    return fields.isEmpty() ? List.of() : partsOf(values).stream().map(Part::shown).toList();
  }

  private List<Part> partsOf(List<String> values) {
    if (values.size() != fields.size()) {
      throw new IllegalArgumentException(
          "identity must have "
              + fields.size()
              + (fields.size() == 1 ? " value" : " values")
              + " for the key "
              + fields
              + ", had "
              + values.size());
    }
    List<Part> parts = new ArrayList<>(fields.size());
    for (int i = 0; i < fields.size(); i++) {
      if (values.get(i).isEmpty()) {
        throw new IllegalArgumentException("identity must not be empty for " + fields.get(i));
      }
      parts.add(new Part(fields.get(i).kind(), given(fields.get(i), values.get(i))));
    }
    return parts;
  }

  private @Nullable List<Part> parts(RequestContext request, boolean borrowIp) {
    List<Part> parts = new ArrayList<>(fields.size());
    for (KeyField field : fields) {
      Part part = part(field, request, borrowIp);
      if (part == null) {
        return null;
      }
      parts.add(part);
    }
    return parts;
  }

  private @Nullable Part part(KeyField field, RequestContext request, boolean borrowIp) {
    if (field.kind() == Kind.HEADER) {
      List<String> values = request.headerValues(field.name());
      if (values.size() > 1) {
        return ofValues(field, values);
      }
    }
    String value = value(field, request);
    if (value != null && !value.isEmpty()) {
      return new Part(field.kind(), value);
    }
    IpAddress address = borrowIp ? request.clientAddress() : null;
    return address == null ? null : new Part(Kind.IP, settings.caller(address));
  }

  /** Returns the part for several values, which no single value and no other values produce. */
  private Part ofValues(KeyField field, List<String> sent) {
    List<String> values = sent.stream().map(value -> withoutCredential(field, value)).toList();
    StringBuilder text = new StringBuilder(64);
    values.forEach(value -> append(text, Kind.HEADER.letter(), value));
    return new Part(HEADER_VALUES, text.toString(), String.join(", ", values));
  }

  private @Nullable String value(KeyField field, RequestContext request) {
    if (field.kind() == Kind.PATH_VARIABLE) {
      for (PathPattern pattern : patterns) {
        String value = pattern.variable(request.normalizedPath(), field.name());
        if (value != null) {
          return value;
        }
      }
      return null;
    }
    if (field.kind() == Kind.IP) {
      IpAddress address = request.clientAddress();
      return address == null ? null : settings.caller(address);
    }
    String raw = field.raw(request);
    return raw == null || raw.isEmpty() ? raw : withoutCredential(field, raw);
  }

  /** Returns the digest of a credential, and every other value as it is. */
  private String withoutCredential(KeyField field, String value) {
    return !credentials.isEmpty() && credentials.contains(field)
        ? settings.apiKeyDigest().of(value)
        : value;
  }

  /**
   * Normalises a value that was given, not sent. A block we showed is taken as it is; a digest is
   * not, because it may as well be a key that looks like one.
   */
  private String given(KeyField field, String value) {
    return switch (field.kind()) {
      case IP -> {
        String suffix = "/" + settings.ipv6Prefix();
        boolean block = value.endsWith(suffix) && value.indexOf(':') >= 0;
        String address = block ? value.substring(0, value.length() - suffix.length()) : value;
        yield settings.caller(IpAddress.parse(address));
      }
      case METHOD -> value.toUpperCase(Locale.ROOT);
      case PATH -> PathNormalizer.normalize(value);
      default -> withoutCredential(field, value);
    };
  }

  private static String single(Part part) {
    return part.letter + ":" + part.value;
  }

  private static String encode(List<Part> parts) {
    StringBuilder text = new StringBuilder(64);
    parts.forEach(part -> append(text, part.letter, part.value));
    return text.toString();
  }

  private static void append(StringBuilder text, char letter, String value) {
    text.append(letter).append(value.length()).append(':').append(value);
  }

  private static String bounded(String identity) {
    return bounded(identity, LongIdentities.COMPUTED);
  }

  private static String bounded(String identity, LongIdentities digests) {
    return identity.length() <= LONGEST ? identity : digests.digest(identity);
  }

  /**
   * One part of an identity.
   *
   * @param letter the kind, as it is encoded
   * @param value what is counted
   * @param shown the value as people may see it
   */
  private record Part(char letter, String value, String shown) {
    Part(Kind kind, String value) {
      this(kind.letter(), value, value);
    }
  }
}
