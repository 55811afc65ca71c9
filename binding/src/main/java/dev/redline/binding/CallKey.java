package dev.redline.binding;

import dev.redline.core.LimitCheck.CallLimit;
import dev.redline.core.internal.key.IdentityScheme;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The compiled key of a limit: gives the identity whose bucket a call is charged to. */
final class CallKey {
  /** One entry of a key. */
  interface Part {
    /** Returns the identity of the caller by this entry, or null if it has none. */
    @Nullable String identity(Call call);

    /** Returns the text that is the key under a plan, or null if there is none. */
    default @Nullable String planKey(Call call) {
      return identity(call);
    }

    /** Returns whether the entry reads the request. */
    boolean needsRequest();
  }

  private final List<Part> parts;
  private final @Nullable Part only;
  private final boolean underPlan;
  private final boolean needsRequest;

  /**
   * Creates a key.
   *
   * @param underPlan whether the limit is a plan, whose key is the plain text of a single entry
   */
  CallKey(List<Part> parts, boolean underPlan) {
    this.parts = List.copyOf(parts);
    this.only = parts.size() == 1 ? parts.get(0) : null;
    this.underPlan = underPlan;
    this.needsRequest = parts.stream().anyMatch(Part::needsRequest);
  }

  boolean needsRequest() {
    return needsRequest;
  }

  /** Returns the identity; a call without one of the parts has the identity of no key. */
  String identity(Call call) {
    if (only == null) {
      return compositeIdentity(call);
    }
    String identity = underPlan ? only.planKey(call) : only.identity(call);
    if (identity == null || identity.isEmpty()) {
      return CallLimit.NO_KEY;
    }
    return underPlan ? IdentityScheme.ofPlanKey(identity) : identity;
  }

  private String compositeIdentity(Call call) {
    String[] identities = new String[parts.size()];
    for (int i = 0; i < identities.length; i++) {
      String identity = parts.get(i).identity(call);
      if (identity == null) {
        return CallLimit.NO_KEY;
      }
      identities[i] = identity;
    }
    return IdentityScheme.composite(List.of(identities), underPlan);
  }
}
