package dev.redline.binding;

import java.util.List;

/** Thrown if annotations of the application cannot be used; it lists all problems. */
public final class InvalidBindingException extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;

  private final transient List<Problem> problems;

  /**
   * One problem.
   *
   * @param location the class and method: {@code com.example.Orders.pay(Order)}
   * @param message what is wrong, and what to do
   */
  public record Problem(String location, String message) {
    @Override
    public String toString() {
      return location + ": " + message;
    }
  }

  /** Creates the exception for some problems. */
  public InvalidBindingException(List<Problem> problems) {
    super(text(problems));
    this.problems = List.copyOf(problems);
  }

  private static String text(List<Problem> problems) {
    StringBuilder text = new StringBuilder("@RateLimit cannot be used as written, ");
    text.append(problems.size() == 1 ? "1 problem:" : problems.size() + " problems:");
    problems.forEach(problem -> text.append("\n- ").append(problem));
    return text.toString();
  }

  /** Returns the problems, in the order in which they were found. */
  public List<Problem> problems() {
    return problems;
  }
}
