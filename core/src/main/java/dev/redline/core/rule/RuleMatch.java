package dev.redline.core.rule;

import dev.redline.core.internal.key.IpBlock;
import dev.redline.core.internal.path.Glob;
import dev.redline.core.internal.rule.AttributeCondition;
import dev.redline.core.internal.rule.ClientIpCondition;
import dev.redline.core.internal.rule.HeaderCondition;
import dev.redline.core.internal.rule.UserIdCondition;
import dev.redline.core.key.RequestContext;
import dev.redline.core.rule.MatchCondition.NoMatch;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The further conditions of a rule, all of which must hold.
 *
 * @param conditions the conditions in the order in which they are tested, one of each type
 */
public record RuleMatch(List<MatchCondition> conditions) {
  /** No further conditions. */
  public static final RuleMatch ANY = new RuleMatch(List.of());

  /** The types of condition that every rule document may use, in the order of testing. */
  public static final List<MatchCondition.Type> TYPES =
      List.of(
          HeaderCondition.TYPE,
          AttributeCondition.TYPE,
          ClientIpCondition.TYPE,
          UserIdCondition.TYPE);

  /** Copies the list, and checks that there is one condition of each type. */
  public RuleMatch {
    conditions = List.copyOf(conditions);
    Set<String> names = new HashSet<>();
    for (MatchCondition condition : conditions) {
      if (!names.add(condition.type().name())) {
        throw new IllegalArgumentException(
            "a rule takes one condition '" + condition.type().name() + "'; combine the two");
      }
    }
  }

  /** Returns a builder. */
  public static Builder builder() {
    return new Builder();
  }

  /** Returns whether there are no conditions. */
  public boolean isAny() {
    return conditions.isEmpty();
  }

  /** Returns the condition of a type, if there is one. */
  public Optional<MatchCondition> condition(String typeName) {
    return conditions.stream()
        .filter(condition -> condition.type().name().equals(typeName))
        .findFirst();
  }

  /** Returns the first condition that does not hold, or null if all do. */
  public @Nullable MatchCondition failing(RequestContext request) {
    for (int i = 0; i < conditions.size(); i++) {
      MatchCondition condition = conditions.get(i);
      if (!condition.test(request)) {
        return condition;
      }
    }
    return null;
  }

  /** Returns the reason of the first condition that does not hold, or null if all do. */
  public @Nullable NoMatch mismatch(RequestContext request) {
    MatchCondition failing = failing(request);
    return failing == null ? null : failing.reason();
  }

  /** Builds conditions. */
  public static final class Builder {
    private final Map<String, Glob> headers = new LinkedHashMap<>();
    private final Map<String, Glob> attributes = new LinkedHashMap<>();
    private final List<IpBlock> clientIps = new ArrayList<>();
    private final List<Glob> userIds = new ArrayList<>();
    private final List<MatchCondition> others = new ArrayList<>();

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

    /** Adds a condition of another type. */
    public Builder condition(MatchCondition condition) {
      others.add(condition);
      return this;
    }

    /** Builds the conditions. */
    public RuleMatch build() {
      List<MatchCondition> conditions = new ArrayList<>();
      if (!headers.isEmpty()) {
        conditions.add(new HeaderCondition(headers));
      }
      if (!attributes.isEmpty()) {
        conditions.add(new AttributeCondition(attributes));
      }
      if (!clientIps.isEmpty()) {
        conditions.add(new ClientIpCondition(clientIps));
      }
      if (!userIds.isEmpty()) {
        conditions.add(new UserIdCondition(userIds));
      }
      conditions.addAll(others);
      return new RuleMatch(conditions);
    }
  }
}
