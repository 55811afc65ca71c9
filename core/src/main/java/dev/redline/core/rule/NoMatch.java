package dev.redline.core.rule;

/** Why a rule did not apply to a request. */
public enum NoMatch {
  /** The rule is switched off. */
  DISABLED,
  /** The path is another one. */
  PATH,
  /** The method is another one. */
  METHOD,
  /** A header is missing or different. */
  HEADER,
  /** An attribute is missing or different. */
  ATTRIBUTE,
  /** The client's address is unknown or elsewhere. */
  CLIENT_IP,
  /** The user is unknown or another one. */
  USER_ID,
  /** A rule before it ended the evaluation. */
  STOPPED,
  /** The request does not tell whom to count, and the rule says to skip it then. */
  MISSING_IDENTITY
}
