package dev.redline.jakarta;

import dev.redline.binding.web.CurrentRequest;
import jakarta.enterprise.context.RequestScoped;
import org.jspecify.annotations.Nullable;

/**
 * The request that is handled in the current request scope. It is read when a limited method is
 * called; some servers end the scope before an asynchronous method has its result.
 */
@RequestScoped
class RequestHolder {
  private @Nullable CurrentRequest request;

  void open(CurrentRequest current) {
    request = current;
  }

  @Nullable CurrentRequest request() {
    return request;
  }
}
