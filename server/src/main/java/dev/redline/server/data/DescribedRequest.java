package dev.redline.server.data;

import dev.redline.core.internal.token.UserTokens;
import dev.redline.core.key.RequestContext;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The request that a check describes, as far as it was read. */
final class DescribedRequest {
  final RequestContext.Builder context = RequestContext.builder();
  private final List<String> authorization = new ArrayList<>(0);
  private boolean namesUser;

  void userId(@Nullable String value) {
    namesUser = value != null && !value.isEmpty();
    context.userId(value);
  }

  void header(String name, @Nullable String value) {
    if (value != null && name.equalsIgnoreCase("Authorization")) {
      authorization.add(value);
    }
    context.header(name, value);
  }

  /** Sets the user by the token, unless a user is given; returns false if the token denies. */
  boolean identify(UserTokens tokens) {
    return namesUser || tokens.identify(context, authorization);
  }
}
