package dev.redline.core.rule;

/** Why a rule did not apply to a request. */
public enum NoMatch {
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
