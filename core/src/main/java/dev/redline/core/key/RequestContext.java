package dev.redline.core.key;

import dev.redline.core.internal.path.PathNormalizer;
import dev.redline.core.limit.RateLimitBand;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a request: everything a rule can match on or be keyed by.
 *
 * <p>Every property is optional; an empty text counts as absent. Immutable, and never holds more
 * than it was given: adapters decide what to put in.
 */
public final class RequestContext {
  private static final Map<String, String> NONE = Map.of();

  /** The context of a call outside of requests: it has no property. */
  public static final RequestContext EMPTY = builder().build();

  private final @Nullable String path;
  private final @Nullable String method;
  private final @Nullable IpAddress clientAddress;
  private final @Nullable String userId;
  private final @Nullable String apiKey;
  private final Map<String, List<String>> headers;
  private final Map<String, String> attributes;
  private final long cost;

  private RequestContext(Builder builder) {
    this.path = builder.path == null ? null : PathNormalizer.normalize(builder.path);
    this.method = builder.method;
    this.clientAddress = builder.clientAddress;
    this.userId = builder.userId;
    this.apiKey = builder.apiKey;
    this.headers = builder.headers == null ? Map.of() : builder.headers;
    this.attributes = builder.attributes == null ? NONE : builder.attributes;
    this.cost = builder.cost;
    builder.built = true;
  }

  /** Returns a builder for one request. */
  public static Builder builder() {
    return new Builder();
  }

  /** Returns the normalised path. */
  public Optional<String> path() {
    return Optional.ofNullable(path);
  }

  /** Returns the method in upper case. */
  public Optional<String> method() {
    return Optional.ofNullable(method);
  }

  /** Returns the canonical text of the client's address. */
  public Optional<String> clientIp() {
    return Optional.ofNullable(clientIpOrNull());
  }

  /** Returns the authenticated user. */
  public Optional<String> userId() {
    return Optional.ofNullable(userId);
  }

  /** Returns the API key as it was sent: a secret, not to be logged. */
  public Optional<String> apiKey() {
    return Optional.ofNullable(apiKey);
  }

  /** Returns a header, of several values the first; names are compared ignoring case. */
  public Optional<String> header(String name) {
    return Optional.ofNullable(headerOrNull(name));
  }

  /** Returns all values of a header in the order they were given; none if it is absent. */
  public List<String> headerValues(String name) {
    List<String> values = headers.get(name);
    if (values == null) {
      return List.of();
    }
    return values.size() == 1 ? values : Collections.unmodifiableList(values);
  }

  /** Returns the names of all headers, unmodifiable. */
  public Set<String> headerNames() {
    return Collections.unmodifiableSet(headers.keySet());
  }

  /** Returns an attribute. */
  public Optional<String> attribute(String name) {
    return Optional.ofNullable(attributes.get(name));
  }

  /** Returns all attributes, unmodifiable. */
  public Map<String, String> attributes() {
    return Collections.unmodifiableMap(attributes);
  }

  /** Returns how much the request weighs; rules multiply it by their own cost. */
  public long cost() {
    return cost;
  }

  /** Returns the normalised path, or null; {@link #path()} without a wrapper, for the hot path. */
  public @Nullable String pathOrNull() {
    return path;
  }

  /** Returns the normalised path, or the empty text if there is none. */
  public String normalizedPath() {
    return path == null ? "" : path;
  }

  /** Returns the method, or null. */
  public @Nullable String methodOrNull() {
    return method;
  }

  /** Returns the client address, or null. */
  public @Nullable IpAddress clientAddress() {
    return clientAddress;
  }

  /** Returns the canonical text of the client address, or null. */
  public @Nullable String clientIpOrNull() {
    return clientAddress == null ? null : clientAddress.toString();
  }

  /** Returns the user id, or null. */
  public @Nullable String userIdOrNull() {
    return userId;
  }

  /** Returns the API key, or null. */
  public @Nullable String apiKeyOrNull() {
    return apiKey;
  }

  /** Returns a header, of several values the first, or null. */
  public @Nullable String headerOrNull(String name) {
    List<String> values = headers.get(name);
    return values == null ? null : values.get(0);
  }

  /** Returns an attribute, or null. */
  public @Nullable String attributeOrNull(String name) {
    return attributes.get(name);
  }

  /** Returns path and method alone: identities stay out of logs. */
  @Override
  public String toString() {
    return "RequestContext[" + method + " " + path + "]";
  }

  /** Builds the context of one request; not thread-safe, used once. */
  public static final class Builder {
    private @Nullable String path;
    private @Nullable String method;
    private @Nullable IpAddress clientAddress;
    private @Nullable String userId;
    private @Nullable String apiKey;
    private @Nullable TreeMap<String, List<String>> headers;
    private @Nullable HashMap<String, String> attributes;
    private long cost = 1;
    private boolean built;

    private Builder() {}

    /** Sets the path as it was sent; it is normalised. */
    public Builder path(@Nullable String value) {
      path = present(value);
      return this;
    }

    /** Sets the HTTP method. */
    public Builder method(@Nullable String value) {
      String given = present(value);
      method = given == null || isUpperCase(given) ? given : given.toUpperCase(Locale.ROOT);
      return this;
    }

    private static boolean isUpperCase(String text) {
      for (int i = 0; i < text.length(); i++) {
        if (text.charAt(i) < 'A' || text.charAt(i) > 'Z') {
          return false;
        }
      }
      return true;
    }

    /**
     * Sets the client's address.
     *
     * @throws IllegalArgumentException if the text is no address
     */
    public Builder clientIp(@Nullable String value) {
      String given = present(value);
      clientAddress = given == null ? null : IpAddress.parse(given);
      return this;
    }

    /** Sets the client's address. */
    public Builder clientAddress(@Nullable IpAddress value) {
      clientAddress = value;
      return this;
    }

    /** Sets the authenticated user. */
    public Builder userId(@Nullable String value) {
      userId = present(value);
      return this;
    }

    /** Sets the API key, as it was sent. */
    public Builder apiKey(@Nullable String value) {
      apiKey = present(value);
      return this;
    }

    /** Adds a header; one that is there already gets a further value. */
    public Builder header(String name, @Nullable String value) {
      if (value != null && !value.isEmpty()) {
        if (headers == null) {
          headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        }
        List<String> before = headers.putIfAbsent(name, List.of(value));
        if (before instanceof ArrayList) {
          before.add(value);
        } else if (before != null) {
          List<String> several = new ArrayList<>(before);
          several.add(value);
          headers.put(name, several);
        }
      }
      return this;
    }

    /** Adds headers. */
    public Builder headers(Map<String, String> values) {
      values.forEach(this::header);
      return this;
    }

    /** Adds an attribute: a property of the request that the application knows. */
    public Builder attribute(String name, @Nullable String value) {
      if (value != null && !value.isEmpty()) {
        if (attributes == null) {
          attributes = new HashMap<>();
        }
        attributes.put(name, value);
      }
      return this;
    }

    /** Adds attributes. */
    public Builder attributes(Map<String, String> values) {
      values.forEach(this::attribute);
      return this;
    }

    /** Sets how much the request weighs, 1 to 10^12; 1 unless said. */
    public Builder cost(long value) {
      if (value < 1 || value > RateLimitBand.MAX_TOKENS) {
        throw new IllegalArgumentException(
            "cost must be 1 to " + RateLimitBand.MAX_TOKENS + ", was " + value);
      }
      cost = value;
      return this;
    }

    /** Builds the context. */
    public RequestContext build() {
      if (built) {
        throw new IllegalStateException("a RequestContext builder is used once");
      }
      return new RequestContext(this);
    }

    private static @Nullable String present(@Nullable String value) {
      return value == null || value.isEmpty() ? null : value;
    }
  }
}
