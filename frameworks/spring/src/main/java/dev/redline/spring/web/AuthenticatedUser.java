package dev.redline.spring.web;

import java.security.Principal;
import org.jspecify.annotations.Nullable;
import org.springframework.security.authentication.AnonymousAuthenticationToken;
import org.springframework.util.ClassUtils;

/** The user of a request. */
public final class AuthenticatedUser {
  private static final boolean SECURITY =
      ClassUtils.isPresent(
          "org.springframework.security.authentication.AnonymousAuthenticationToken",
          AuthenticatedUser.class.getClassLoader());

  private AuthenticatedUser() {}

  /**
   * Returns the name of an authenticated user, of a JWT its subject; null for Spring Security's
   * anonymous user, whose name all anonymous callers share.
   */
  public static @Nullable String name(@Nullable Principal principal) {
    return principal == null || (SECURITY && Anonymous.is(principal)) ? null : principal.getName();
  }

  /** Loaded only if Spring Security is present. */
  private static final class Anonymous {
    static boolean is(Principal principal) {
      return principal instanceof AnonymousAuthenticationToken;
    }
  }
}
