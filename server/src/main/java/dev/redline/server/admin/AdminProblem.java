package dev.redline.server.admin;

import dev.redline.rules.documents.Problem;
import java.util.List;

/** Ends a request of the admin API with a problem document. */
final class AdminProblem extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int status;
  private final transient List<Problem> errors;

  AdminProblem(int status, String detail, List<Problem> errors) {
    super(detail, null, false, false);
    this.status = status;
    this.errors = List.copyOf(errors);
  }

  AdminProblem(int status, String detail) {
    this(status, detail, List.of());
  }

  /** Returns the refusal of rules that are not valid. */
  static AdminProblem invalid(List<Problem> errors) {
    String first = errors.isEmpty() ? "" : ": " + errors.get(0).message();
    return new AdminProblem(400, "the rule is not valid" + first, errors);
  }

  int status() {
    return status;
  }

  String detail() {
    return String.valueOf(getMessage());
  }

  List<Problem> errors() {
    return errors;
  }
}
