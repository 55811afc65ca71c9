package dev.redline.core.rule;

import dev.redline.core.internal.path.Glob;
import dev.redline.core.key.IpAddress;
import dev.redline.core.key.IpBlock;
import dev.redline.core.key.RequestContext;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The further conditions of a rule; all must hold, and one on a property the request lacks does
 * not.
 *
 * @param headers header names and what one of their values must look like
 * @param attributes attribute names and what their values must look like
 * @param clientIps blocks, of which one must contain the client's address; none: any client
 * @param userIds what the user id must look like, one of them; none: any user
 */
public record RuleMatch(
    Map<String, Glob> headers,
    Map<String, Glob> attributes,
    List<IpBlock> clientIps,
    List<Glob> userIds) {
  /** No further conditions. */
  public static final RuleMatch ANY = builder().build();

  /** Copies the collections; the order of conditions is that in which they are looked at. */
  public RuleMatch {
    headers = Collections.unmodifiableMap(new LinkedHashMap<>(headers));
    attributes = Collections.unmodifiableMap(new LinkedHashMap<>(attributes));
    clientIps = List.copyOf(clientIps);
    userIds = List.copyOf(userIds);
  }

  /** Returns a builder. */
  public static Builder builder() {
    return new Builder();
  }

  /** Returns whether there are no conditions. */
  public boolean isAny() {
    return headers.isEmpty() && attributes.isEmpty() && clientIps.isEmpty() && userIds.isEmpty();
  }

  /** Returns the first condition that does not hold, or null if all do. */
  public @Nullable NoMatch mismatch(RequestContext request) {
    if (failingHeader(request) != null) {
      return NoMatch.HEADER;
    }
    if (failingAttribute(request) != null) {
      return NoMatch.ATTRIBUTE;
    }
    if (!clientIps.isEmpty() && !contains(request.clientAddress())) {
      return NoMatch.CLIENT_IP;
    }
    if (!userIds.isEmpty() && !anyHolds(request.userIdOrNull())) {
      return NoMatch.USER_ID;
    }
    return null;
  }

  /** Returns the name of the first header whose condition does not hold, or null. */
  public @Nullable String failingHeader(RequestContext request) {
    for (Map.Entry<String, Glob> header : headers.entrySet()) {
      if (!anyHolds(header.getValue(), request.headerValues(header.getKey()))) {
        return header.getKey();
      }
    }
    return null;
  }

  /** Returns the name of the first attribute whose condition does not hold, or null. */
  public @Nullable String failingAttribute(RequestContext request) {
    for (Map.Entry<String, Glob> attribute : attributes.entrySet()) {
      if (!holds(attribute.getValue(), request.attributeOrNull(attribute.getKey()))) {
        return attribute.getKey();
      }
    }
    return null;
  }

  private static boolean anyHolds(Glob glob, List<String> values) {
    for (int i = 0; i < values.size(); i++) {
      if (glob.matches(values.get(i))) {
        return true;
      }
    }
    return false;
  }

  private static boolean holds(Glob glob, @Nullable String value) {
    return value != null && glob.matches(value);
  }

  private boolean contains(@Nullable IpAddress address) {
    if (address == null) {
      return false;
    }
    for (IpBlock block : clientIps) {
      if (block.contains(address)) {
        return true;
      }
    }
    return false;
  }

  private boolean anyHolds(@Nullable String userId) {
    for (Glob glob : userIds) {
      if (holds(glob, userId)) {
        return true;
      }
    }
    return false;
  }

  /** Builds conditions. */
  public static final class Builder {
    private final Map<String, Glob> headers = new LinkedHashMap<>();
    private final Map<String, Glob> attributes = new LinkedHashMap<>();
    private final List<IpBlock> clientIps = new ArrayList<>();
    private final List<Glob> userIds = new ArrayList<>();

    private Builder() {}

    /** Demands a header of which a value matches the glob. */
    public Builder header(String name, String glob) {
      headers.put(name, new Glob(glob));
      return this;
    }

    /** Demands an attribute whose value matches the glob. */
    public Builder attribute(String name, String glob) {
      attributes.put(name, new Glob(glob));
      return this;
    }

    /** Adds a block that the client's address may lie in. */
    public Builder clientIp(String cidr) {
      clientIps.add(IpBlock.parse(cidr));
      return this;
    }

    /** Adds a glob that the user id may match. */
    public Builder userId(String glob) {
      userIds.add(new Glob(glob));
      return this;
    }

    /** Builds the conditions. */
    public RuleMatch build() {
      return new RuleMatch(headers, attributes, clientIps, userIds);
    }
  }
}
