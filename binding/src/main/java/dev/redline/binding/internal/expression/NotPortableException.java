package dev.redline.binding.internal.expression;

/** Thrown if a text is not an expression of the portable language; a framework may know better. */
public final class NotPortableException extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;

  NotPortableException(String message) {
    super(message);
  }
}
