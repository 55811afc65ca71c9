package dev.redline.server.admin;

/** Where the admin API is. */
final class AdminPaths {
  static final String ROOT = "/admin/v1";

  /** The rules in force, as the data plane has them too. */
  static final String RULES_PAGE = "/v1/rules";

  private AdminPaths() {}
}
