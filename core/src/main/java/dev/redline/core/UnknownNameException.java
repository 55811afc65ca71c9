package dev.redline.core;

/** Says that a check named a rule, plan or rule set that does not exist. */
public final class UnknownNameException extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception; {@code what} is "rule", "plan" or "rule set". */
  public UnknownNameException(String what, String name) {
    super("unknown " + what + " '" + name + "'");
  }

  private UnknownNameException(String message) {
    super(message);
  }

  /** Returns the exception for a name that another server does not know, as it says it. */
  public static UnknownNameException elsewhere(String message) {
    return new UnknownNameException(message);
  }
}
