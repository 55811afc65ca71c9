package dev.redline.core.rule;

import dev.redline.core.key.RequestContext;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * One further condition of a rule: a field under {@code match} with its values.
 *
 * <p>Implementations are immutable, safe for use by several threads, and have {@code equals} and
 * {@code hashCode} by their values: a rule whose conditions are equal keeps its buckets on reload.
 * {@link #test} runs for every request that reaches the rule, so it must not block and should not
 * allocate.
 */
public interface MatchCondition {
  /** Returns the type: the field's name, and how its values are read. */
  Type type();

  /**
   * Returns the values as documents write them, readable again by {@link #type()}: a {@code
   * List<String>} for {@link OfTexts}, a {@code Map<String, String>} for {@link OfNamedTexts}.
   */
  Object values();

  /** Returns whether the condition holds; one on a property that the request lacks does not. */
  boolean test(RequestContext request);

  /** Returns why a rule does not apply whose condition does not hold. */
  default NoMatch reason() {
    return NoMatch.CONDITION;
  }

  /** Returns what of the request makes {@link #test} fail, such as a header's name. */
  default String failingField(RequestContext request) {
    return type().name();
  }

  /** The name of a condition's field under {@code match}, and how its values are read. */
  sealed interface Type {
    /** Returns the name, unique among the conditions of a rule. */
    String name();
  }

  /**
   * A condition written as one text or a list of texts.
   *
   * @param name the field's name under {@code match}
   * @param reader returns the condition for one text or more; throws {@link
   *     IllegalArgumentException} for a text that is invalid
   */
  record OfTexts(String name, Function<List<String>, MatchCondition> reader) implements Type {}

  /**
   * A condition written as a mapping of names to texts.
   *
   * @param name the field's name under {@code match}
   * @param reader returns the condition for one entry or more; throws {@link
   *     IllegalArgumentException} for an entry that is invalid
   */
  record OfNamedTexts(String name, Function<Map<String, String>, MatchCondition> reader)
      implements Type {}

  /** Why a rule did not apply to a request. */
  enum NoMatch {
    /** The rule is disabled. */
    DISABLED,
    /** None of the rule's paths matches. */
    PATH,
    /** None of the rule's methods matches. */
    METHOD,
    /** A header is missing or does not match. */
    HEADER,
    /** An attribute is missing or does not match. */
    ATTRIBUTE,
    /** The client's address is unknown or in none of the blocks. */
    CLIENT_IP,
    /** The user is unknown or does not match. */
    USER_ID,
    /** A condition of a type that has no reason of its own does not hold. */
    CONDITION,
    /** A rule before it stopped the evaluation. */
    STOPPED,
    /** The request lacks a field of the rule's key, and {@code onMissingIdentity} is SKIP. */
    MISSING_IDENTITY
  }
}
