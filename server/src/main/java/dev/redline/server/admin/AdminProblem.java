package dev.redline.server.admin;

import dev.redline.rules.documents.RuleProblem;
import java.util.List;

/** Ends a request of the admin API with a problem document. */
final class AdminProblem extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int status;
  private final transient List<RuleProblem> errors;

  AdminProblem(int status, String detail, List<RuleProblem> errors) {
    super(detail, null, false, false);
    this.status = status;
    this.errors = List.copyOf(errors);
  }

  AdminProblem(int status, String detail) {
    this(status, detail, List.of());
  }

  /** Returns the error for rules that are not valid. */
  static AdminProblem invalid(List<RuleProblem> errors) {
    String first = errors.isEmpty() ? "" : ": " + errors.get(0).message();
    return new AdminProblem(400, "the rule is not valid" + first, errors);
  }

  int status() {
    return status;
  }

  String detail() {
    return String.valueOf(getMessage());
  }

  List<RuleProblem> errors() {
    return errors;
  }
}
