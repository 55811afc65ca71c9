package dev.redline.binding.web;

import dev.redline.core.key.IpAddress;
import dev.redline.core.key.RequestContext;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * What rules see of one request, for a customizer of the application to change. Used by one thread
 * at a time.
 *
 * <p>Values of null and empty texts are ignored, so that a header can be passed on as it is.
 */
public final class RequestDetails {
  private static final Logger LOG = System.getLogger(RequestDetails.class.getName());
  private static final AtomicBoolean WARNED = new AtomicBoolean();

  private final RequestContext.Builder context;

  /** Wraps the builder of the request's context. */
  public RequestDetails(RequestContext.Builder context) {
    this.context = context;
  }

  /**
   * Sets the address of the client, for example from {@code CF-Connecting-IP}. A text that is no
   * address is ignored, with one warning: the address found before stays.
   */
  public RequestDetails clientIp(@Nullable String text) {
    if (text == null || text.isBlank()) {
      return this;
    }
    IpAddress address = IpAddress.tryParse(text.trim());
    if (address != null) {
      context.clientAddress(address);
    } else if (WARNED.compareAndSet(false, true)) {
      LOG.log(
          Level.WARNING,
          "A RequestContextCustomizer set a client address that is no IP address; such texts are"
              + " ignored, and this is logged once");
    }
    return this;
  }

  /** Sets the user. */
  public RequestDetails userId(@Nullable String value) {
    if (value != null && !value.isEmpty()) {
      context.userId(value);
    }
    return this;
  }

  /** Sets the API key, as the client sent it. */
  public RequestDetails apiKey(@Nullable String value) {
    if (value != null && !value.isEmpty()) {
      context.apiKey(value);
    }
    return this;
  }

  /** Sets an attribute, which rules name as {@code attribute:NAME}. */
  public RequestDetails attribute(String name, @Nullable String value) {
    context.attribute(name, value);
    return this;
  }

  /** Adds a value to a header. */
  public RequestDetails header(String name, @Nullable String value) {
    context.header(name, value);
    return this;
  }

  /**
   * Sets the cost of the request in tokens; rules multiply it by their own.
   *
   * @throws IllegalArgumentException if it is not 1 to 10^12
   */
  public RequestDetails cost(long tokens) {
    context.cost(tokens);
    return this;
  }
}
