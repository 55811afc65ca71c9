package dev.redline.binding.servlet;

import dev.redline.binding.web.ClientIdentity;
import dev.redline.binding.web.RequestDetails;
import dev.redline.core.internal.path.PathNormalizer;
import dev.redline.core.key.RequestContext;
import jakarta.servlet.http.HttpServletRequest;
import java.security.Principal;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Enumeration;
import java.util.Iterator;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Describes servlet requests to rules. The path is the one within the application, as it was sent:
 * the normal form that rules match is made from every spelling. Thread-safe.
 *
 * @param identity how the client is found
 * @param user returns the name of an authenticated user, or null
 * @param customizers what adds to the description
 */
public record ServletRequests(
    ClientIdentity identity,
    Function<@Nullable Principal, @Nullable String> user,
    List<ServletRequestContextCustomizer> customizers) {
  /** Copies the list. */
  public ServletRequests {
    customizers = List.copyOf(customizers);
  }

  /** Returns the description of a request. */
  public RequestContext describe(HttpServletRequest request) {
    return describe(request, request.getUserPrincipal());
  }

  /** Returns the description of a request of a user whom the container may not know. */
  public RequestContext describe(HttpServletRequest request, @Nullable Principal principal) {
    RequestContext.Builder context =
        RequestContext.builder()
            .path(path(request))
            .method(request.getMethod())
            .clientAddress(identity.address(request.getRemoteAddr(), forwardedFor(request)))
            .apiKey(ClientIdentity.apiKey(iterator(request.getHeaders(identity.apiKeyHeader()))));
    identity.identify(
        context, user.apply(principal), () -> values(request, ClientIdentity.AUTHORIZATION));
    addHeaders(context, request);
    if (!customizers.isEmpty()) {
      RequestDetails details = new RequestDetails(context);
      for (ServletRequestContextCustomizer customizer : customizers) {
        customizer.customize(details, request);
      }
    }
    return context.build();
  }

  private static String path(HttpServletRequest request) {
    String uri = request.getRequestURI();
    String application = request.getContextPath();
    if (application.isEmpty()) {
      return uri;
    }
    // Both in normal form: the client may spell the path of the application in another way, or
    // leave it and come back, such as /%61pp or /app/../app.
    String within = PathNormalizer.within(uri, application);
    if (within != null) {
      return within;
    }
    String servlet = request.getServletPath();
    String info = request.getPathInfo();
    return info == null ? servlet : servlet + info;
  }

  private List<String> forwardedFor(HttpServletRequest request) {
    if (identity.proxies().blocks().isEmpty()) {
      return List.of();
    }
    return values(request, ClientIdentity.FORWARDED_FOR);
  }

  private static List<String> values(HttpServletRequest request, String header) {
    List<String> values = new ArrayList<>();
    iterator(request.getHeaders(header)).forEachRemaining(values::add);
    return values;
  }

  /** Returns the values; none in a container that does not show them. */
  private static Iterator<String> iterator(@Nullable Enumeration<String> values) {
    return values == null ? Collections.emptyIterator() : values.asIterator();
  }

  private static void addHeaders(RequestContext.Builder context, HttpServletRequest request) {
    Iterator<String> names = iterator(request.getHeaderNames());
    while (names.hasNext()) {
      String name = names.next();
      Enumeration<String> values = request.getHeaders(name);
      while (values.hasMoreElements()) {
        context.header(name, values.nextElement());
      }
    }
  }
}
