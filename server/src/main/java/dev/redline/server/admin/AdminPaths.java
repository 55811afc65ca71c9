package dev.redline.server.admin;

/** The paths of the admin API. */
final class AdminPaths {
  static final String ROOT = "/admin/v1";

  /** The rules in force, on this port and on the data plane. */
  static final String RULES_PAGE = "/v1/rules";

  private AdminPaths() {}
}
