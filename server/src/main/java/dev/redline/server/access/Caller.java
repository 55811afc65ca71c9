package dev.redline.server.access;

import dev.redline.core.settings.Settings.Role;

/**
 * Somebody who showed a token.
 *
 * @param name the token's name
 * @param role what it allows
 */
public record Caller(String name, Role role) {
  /** Returns whether the caller may change something. */
  public boolean mayChange() {
    return role == Role.EDITOR;
  }
}
