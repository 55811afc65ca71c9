package dev.redline.core.internal.key;

/** Replaces identities that are too long to be kept. */
@FunctionalInterface
public interface LongIdentities {
  /** Computes every digest. */
  LongIdentities COMPUTED = IdentityDigest::of;

  /** Returns the {@linkplain IdentityDigest digest} of a long identity. */
  String digest(String identity);
}
