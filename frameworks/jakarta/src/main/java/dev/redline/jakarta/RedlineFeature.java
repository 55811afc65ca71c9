package dev.redline.jakarta;

import dev.redline.binding.web.ClientIdentity;
import dev.redline.binding.web.DenialResponse;
import dev.redline.core.RateLimitExceededException;
import jakarta.annotation.Priority;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerRequestFilter;
import jakarta.ws.rs.container.ContainerResponseContext;
import jakarta.ws.rs.container.ContainerResponseFilter;
import jakarta.ws.rs.container.DynamicFeature;
import jakarta.ws.rs.container.ResourceInfo;
import jakarta.ws.rs.core.Feature;
import jakarta.ws.rs.core.FeatureContext;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.ext.ExceptionMapper;
import java.util.Optional;

/**
 * Limited methods of REST resources: header fields, and the response to denials. An {@link
 * ExceptionMapper} of the application for {@link RateLimitExceededException} wins; one for a
 * supertype, such as {@code Exception}, does not see denials.
 */
public final class RedlineFeature implements Feature {
  /** After mappers of the application for the same exception, which have 5000 unless set. */
  private static final int AFTER_APPLICATION = 10_000;

  /** Creates the feature; the container calls it. */
  public RedlineFeature() {}

  @Override
  public boolean configure(FeatureContext context) {
    Optional<LimitedApplication> application = LimitedApplication.find();
    if (application.isEmpty() || context.getConfiguration().isRegistered(ResourceDenials.class)) {
      // No beans, or a container that calls features of service files twice.
      return false;
    }
    context.register(new ResourceDenials(application.get()));
    context.register(new ResourceLimits(application.get()));
    context.register(new LimitedResourcesCheck(application.get()));
    return true;
  }

  /** Makes the response to a denied call. */
  @Priority(AFTER_APPLICATION)
  static final class ResourceDenials implements ExceptionMapper<RateLimitExceededException> {
    private final LimitedApplication application;

    ResourceDenials(LimitedApplication application) {
      this.application = application;
    }

    @Override
    public Response toResponse(RateLimitExceededException denied) {
      DenialResponse denial = application.http().denial(denied.result());
      Response.ResponseBuilder response =
          Response.status(denial.status()).header(ResourceRequest.DENIAL, denial);
      if (!denial.body().isEmpty()) {
        response.type(denial.contentType()).entity(denial.body());
      }
      return response.build();
    }
  }

  /** Makes the request known to limited methods, and sets the header fields of the response. */
  static final class ResourceLimits implements ContainerRequestFilter, ContainerResponseFilter {
    private final LimitedApplication application;
    private final ClientIdentity identity;

    ResourceLimits(LimitedApplication application) {
      this.application = application;
      this.identity = application.clientIdentity();
    }

    @Override
    public void filter(ContainerRequestContext request) {
      application.open(ResourceRequest.open(request, identity));
    }

    @Override
    public void filter(ContainerRequestContext request, ContainerResponseContext response) {
      ResourceRequest.complete(request, response, application.http());
    }
  }

  /** Rejects limited resources that are no beans: nothing would limit them. */
  static final class LimitedResourcesCheck implements DynamicFeature {
    private final LimitedApplication application;

    LimitedResourcesCheck(LimitedApplication application) {
      this.application = application;
    }

    @Override
    public void configure(ResourceInfo resource, FeatureContext context) {
      Class<?> type = resource.getResourceClass();
      if (application.isOutOfReach(type, resource.getResourceMethod())) {
        throw new IllegalStateException(
            "@RateLimit of "
                + type.getName()
                + "."
                + resource.getResourceMethod().getName()
                + " would have no effect, because the class is no bean: add @RequestScoped or"
                + " another scope to it");
      }
    }
  }
}
