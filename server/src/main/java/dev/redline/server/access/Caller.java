package dev.redline.server.access;

import dev.redline.server.settings.AdminToken.Role;

/**
 * The owner of a valid token.
 *
 * @param name the token's name
 * @param role whether the token permits changes or only reading
 */
public record Caller(String name, Role role) {
  /** Returns whether the caller may change rules and buckets. */
  public boolean mayChange() {
    return role == Role.EDITOR;
  }
}
