package dev.redline.core.internal.rule;

import dev.redline.core.internal.key.IdentityScheme;
import dev.redline.core.internal.key.LongIdentities;
import dev.redline.core.internal.path.PathPattern;
import dev.redline.core.key.KeyResolver;
import dev.redline.core.key.RequestContext;
import dev.redline.core.limit.BucketLimits;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.rule.Action;
import dev.redline.core.rule.MatchCondition.NoMatch;
import dev.redline.core.rule.Mode;
import dev.redline.core.rule.OnMissingIdentity;
import dev.redline.core.rule.RateLimitRule;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A rule as a rule book keeps it: plans resolved, limits compiled, and its place in the order.
 *
 * <p>What every decision reads of a rule is copied here, side by side: among thousands of rules,
 * reading memory is most of the cost of a lookup.
 */
public final class CompiledRule {
  private final RateLimitRule rule;
  private final String ruleSetId;
  private final int rank;
  private final List<PathPattern> paths;
  private final List<RateLimitBand> bands;
  private final @Nullable BucketLimits limits;
  private final IdentityScheme scheme;
  private final @Nullable KeyResolver resolver;
  private final boolean anyRequest;
  private final boolean limiting;
  private final boolean stop;
  private final boolean shadow;
  private final boolean borrowIp;
  private final long cost;

  /** Compiles a rule; its limits are null where it has none. */
  public CompiledRule(
      RateLimitRule rule,
      int rank,
      List<PathPattern> paths,
      List<RateLimitBand> bands,
      @Nullable BucketLimits limits,
      IdentityScheme scheme) {
    this.rule = rule;
    this.ruleSetId = rule.ruleSetId();
    this.rank = rank;
    this.paths = paths;
    this.bands = bands;
    this.limits = limits;
    this.scheme = scheme;
    this.resolver = rule.keyResolver().orElse(null);
    this.anyRequest = rule.enabled() && rule.methods().isEmpty() && rule.match().isAny();
    this.limiting = rule.action() == Action.LIMIT;
    this.stop = rule.stop();
    this.shadow = rule.mode() == Mode.SHADOW;
    this.borrowIp = rule.onMissingIdentity() == OnMissingIdentity.USE_IP;
    this.cost = rule.cost();
  }

  /** Returns the rule. */
  public RateLimitRule rule() {
    return rule;
  }

  /** Returns the rule set of the rule. */
  public String ruleSetId() {
    return ruleSetId;
  }

  /** Returns the rule's place in the order of evaluation among all rules of the book, from 0. */
  public int rank() {
    return rank;
  }

  /** Returns the compiled path patterns, of which one must match; none: every path, and no path. */
  public List<PathPattern> paths() {
    return paths;
  }

  /** Returns whether the rule limits, instead of allowing or denying. */
  public boolean limiting() {
    return limiting;
  }

  /** Returns whether rules after it are not considered when it matches. */
  public boolean stop() {
    return stop;
  }

  /** Returns whether a denial by the rule does not count. */
  public boolean shadow() {
    return shadow;
  }

  /** Returns the rule's own bands and those of its plans, all with labels unique in the rule. */
  public List<RateLimitBand> bands() {
    return bands;
  }

  /** Returns the compiled limits; only a {@link Action#LIMIT} rule has some. */
  public BucketLimits limits() {
    return Objects.requireNonNull(limits, "only a LIMIT rule has limits");
  }

  /** Returns how the rule names its callers; without meaning where it has its own resolver. */
  public IdentityScheme scheme() {
    return scheme;
  }

  /** Returns the identity of the caller, or null if the request has none. */
  public @Nullable String identity(RequestContext request, LongIdentities digests) {
    if (resolver == null) {
      return scheme.identity(request, borrowIp, digests);
    }
    String own = resolver.resolve(request);
    if (own != null && !own.isEmpty()) {
      return IdentityScheme.resolved(own, digests);
    }
    return borrowIp ? scheme.address(request) : null;
  }

  /**
   * Returns the identity for values given instead of a request: what the key fields, or the rule's
   * own resolver, would yield.
   *
   * @throws IllegalArgumentException if a value is missing, empty or not of its kind
   */
  public String identityOf(List<String> values) {
    if (resolver == null) {
      return scheme.identityOf(values);
    }
    if (values.size() != 1) {
      throw new IllegalArgumentException(
          "identity must have 1 value for the rule's own resolver, had " + values.size());
    }
    if (values.get(0).isEmpty()) {
      throw new IllegalArgumentException("identity must not be empty");
    }
    return IdentityScheme.resolved(values.get(0));
  }

  /**
   * Returns the identity in the form that may be shown, in parts; empty if it must not be shown.
   */
  public List<String> shown(RequestContext request) {
    if (resolver != null) {
      return List.of();
    }
    List<String> shown = scheme.shown(request, borrowIp);
    return shown == null ? List.of() : shown;
  }

  /** Returns given values as people may see them; as {@link #identityOf} otherwise. */
  public List<String> shownOf(List<String> values) {
    return resolver != null ? List.copyOf(values) : scheme.shownOf(values);
  }

  /** Returns rule cost times request cost; see {@link #product}. */
  public long cost(long requestCost) {
    return product(cost, requestCost);
  }

  /** Returns the product of two costs, or one above every capacity if it exceeds all of them. */
  public static long product(long a, long b) {
    long product = a * b;
    boolean fits = Math.multiplyHigh(a, b) == 0 && product > 0;
    return fits ? Math.min(product, RateLimitBand.MAX_TOKENS + 1) : RateLimitBand.MAX_TOKENS + 1;
  }

  /** Returns why the rule does not apply to the request, its path aside; null if it does. */
  public @Nullable NoMatch mismatch(RequestContext request) {
    if (anyRequest) {
      return null;
    }
    if (!rule.enabled()) {
      return NoMatch.DISABLED;
    }
    if (!rule.matchesMethod(request.methodOrNull())) {
      return NoMatch.METHOD;
    }
    return rule.match().mismatch(request);
  }

  /** Returns whether one of the rule's paths matches, or it has none. */
  public boolean matchesPath(RequestContext request) {
    if (paths.isEmpty()) {
      return true;
    }
    String path = request.pathOrNull();
    return path != null && paths.stream().anyMatch(pattern -> pattern.matches(path));
  }
}
