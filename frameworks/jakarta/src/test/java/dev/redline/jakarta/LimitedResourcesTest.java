package dev.redline.jakarta;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.redline.binding.servlet.ServletRequestContextCustomizer;
import dev.redline.binding.web.DenialCustomizer;
import dev.redline.binding.web.DenialResponse;
import dev.redline.binding.web.RequestDetails;
import dev.redline.core.RateLimit;
import dev.redline.core.RateLimitExceededException;
import dev.redline.core.RateLimitResult;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.RequestScoped;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.container.AsyncResponse;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerRequestFilter;
import jakarta.ws.rs.container.Suspended;
import jakarta.ws.rs.core.Feature;
import jakarta.ws.rs.core.FeatureContext;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.SecurityContext;
import jakarta.ws.rs.ext.ExceptionMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.security.Principal;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.glassfish.grizzly.http.server.HttpServer;
import org.glassfish.jersey.grizzly2.httpserver.GrizzlyHttpServerFactory;
import org.glassfish.jersey.server.ResourceConfig;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Resources on Weld and Jersey, in the servlet container of Grizzly and without one. */
class LimitedResourcesTest {
  private final HttpClient client = HttpClient.newHttpClient();
  private Deployment deployment;
  private HttpServer server;

  /** A resource. */
  @Path("/")
  @RequestScoped
  public static class Shop {
    @GET
    @Path("user")
    @RateLimit(value = "1/m", key = "#principal")
    public String user() {
      return "done";
    }

    @GET
    @Path("async")
    @RateLimit(value = "1/m", key = "#header['X-Tenant']")
    public CompletionStage<String> async() {
      return CompletableFuture.supplyAsync(() -> "done");
    }

    @GET
    @Path("suspended")
    @RateLimit(value = "1/m", key = "'one'")
    public void suspended(@Suspended AsyncResponse response) {
      CompletableFuture<Void> unused =
          CompletableFuture.runAsync(() -> assertThat(response.resume("done")).isTrue());
    }

    @GET
    @Path("unmapped")
    @RateLimit(value = "5/m", key = "ip")
    public String unmapped() {
      throw new UnsupportedOperationException("not mapped");
    }
  }

  /** Not a bean: it has no scope. */
  @Path("/plain")
  public static class PlainResource {
    @GET
    @RateLimit("1/m")
    public String get() {
      return "done";
    }
  }

  /** Takes the user from a header. */
  public static class Authentication implements ContainerRequestFilter {
    @Override
    public void filter(ContainerRequestContext request) {
      Principal principal = () -> request.getHeaderString("X-User");
      SecurityContext before = request.getSecurityContext();
      request.setSecurityContext(
          new SecurityContext() {
            @Override
            public Principal getUserPrincipal() {
              return principal;
            }

            @Override
            public boolean isUserInRole(String role) {
              return false;
            }

            @Override
            public boolean isSecure() {
              return before.isSecure();
            }

            @Override
            public String getAuthenticationScheme() {
              return "header";
            }
          });
    }
  }

  /** The application's own response to denials. */
  public static class OwnMapper implements ExceptionMapper<RateLimitExceededException> {
    @Override
    public Response toResponse(RateLimitExceededException denied) {
      return Response.status(418).build();
    }
  }

  /** Would turn denials into failures. */
  public static class CatchAll implements ExceptionMapper<RuntimeException> {
    @Override
    public Response toResponse(RuntimeException failure) {
      return Response.serverError().build();
    }
  }

  /** Changes the body of denials. */
  @ApplicationScoped
  public static class Customizer implements DenialCustomizer {
    @Override
    public void customize(DenialResponse response, RateLimitResult result) {
      response.header("X-Custom", "yes").body("text/plain", "not now");
    }
  }

  /** Removes a header of denials, and changes another. */
  @ApplicationScoped
  public static class HeaderCustomizer implements DenialCustomizer {
    @Override
    public void customize(DenialResponse response, RateLimitResult result) {
      response.header("X-RateLimit-Reset", null).header("Retry-After", "7");
    }
  }

  /** Configures the feature again and again, as some containers do. */
  public static class Repeating implements Feature {
    static boolean last;

    @Override
    public boolean configure(FeatureContext context) {
      new RedlineFeature().configure(context);
      last = new RedlineFeature().configure(context);
      return true;
    }
  }

  /** Tells rules the tenant. */
  @ApplicationScoped
  public static class TenantCustomizer implements ServletRequestContextCustomizer {
    @Override
    public void customize(RequestDetails details, HttpServletRequest request) {
      details.attribute("tenant", request.getHeader("X-Tenant"));
    }
  }

  private static ResourceConfig application(Class<?>... classes) {
    return new ResourceConfig(classes);
  }

  /** Starts the servlet container. */
  private void start(Map<String, String> properties, ResourceConfig application, Class<?>... beans)
      throws IOException {
    deployment = Deployment.start(properties, beans);
    startServlets(application);
  }

  private void startServlets(ResourceConfig application) throws IOException {
    server = GrizzlyServlets.start(application, "/shop", "/api/*");
  }

  /** Starts Jersey without servlets. */
  private void startWithoutServlets(ResourceConfig application, Class<?>... beans) {
    deployment = Deployment.start(Map.of(), beans);
    server =
        GrizzlyHttpServerFactory.createHttpServer(
            URI.create("http://127.0.0.1:0/shop/api/"), application);
  }

  @AfterEach
  void stop() {
    if (server != null) {
      server.shutdownNow();
    }
    if (deployment != null) {
      deployment.close();
    }
  }

  private HttpResponse<String> get(String path, String... headers)
      throws IOException, InterruptedException {
    int port = server.getListeners().iterator().next().getPort();
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/shop/api/" + path));
    if (headers.length > 0) {
      request.headers(headers);
    }
    return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void userOfTheSecurityContextIsThePrincipal() throws Exception {
    start(Map.of(), application(Shop.class, Authentication.class, CatchAll.class), Shop.class);

    assertThat(get("user", "X-User", "alice").statusCode()).isEqualTo(200);
    HttpResponse<String> denied = get("user", "X-User", "alice");
    assertThat(denied.statusCode()).isEqualTo(429);
    assertThat(denied.headers().allValues("X-RateLimit-Limit")).containsExactly("1");
    assertThat(denied.headers().allValues("Retry-After")).hasSize(1);
    assertThat(denied.body()).contains("\"ruleId\":\"Shop.user\"");
    assertThat(get("user", "X-User", "bob").statusCode()).isEqualTo(200);
  }

  @Test
  void mapperOfTheApplicationWins() throws Exception {
    start(Map.of(), application(Shop.class, Authentication.class, OwnMapper.class), Shop.class);

    get("user", "X-User", "alice");

    assertThat(get("user", "X-User", "alice").statusCode()).isEqualTo(418);
  }

  @Test
  void customizerChangesDenials() throws Exception {
    start(Map.of(), application(Shop.class, Authentication.class), Shop.class, Customizer.class);

    get("user", "X-User", "alice");
    HttpResponse<String> denied = get("user", "X-User", "alice");

    assertThat(denied.statusCode()).isEqualTo(429);
    assertThat(denied.headers().firstValue("X-Custom")).contains("yes");
    assertThat(denied.body()).isEqualTo("not now");
  }

  @Test
  void responseHasTheHeadersOfTheSmallestShareOnce() throws Exception {
    Map<String, String> rules = new HashMap<>();
    rules.put("rl.rules[0].id", "all");
    rules.put("rl.rules[0].path", "/api/**");
    rules.put("rl.rules[0].limit", "4/m");
    start(rules, application(Shop.class), Shop.class);

    HttpResponse<String> allowed = get("async", "X-Tenant", "acme");
    HttpResponse<String> denied = get("async", "X-Tenant", "acme");
    get("async", "X-Tenant", "other");
    get("async", "X-Tenant", "another");
    HttpResponse<String> deniedByFilter = get("async", "X-Tenant", "new");

    assertThat(allowed.headers().allValues("X-RateLimit-Limit")).containsExactly("1");
    assertThat(denied.statusCode()).isEqualTo(429);
    assertThat(denied.headers().allValues("X-RateLimit-Limit")).containsExactly("1");
    assertThat(deniedByFilter.statusCode()).isEqualTo(429);
    assertThat(deniedByFilter.headers().allValues("X-RateLimit-Limit")).containsExactly("4");
  }

  private static Map<String, String> onceForEachAddress() {
    Map<String, String> rules = new HashMap<>();
    rules.put("rl.rules[0].id", "once");
    rules.put("rl.rules[0].path", "/api/async");
    rules.put("rl.rules[0].key", "ip");
    rules.put("rl.rules[0].limit", "1/h");
    return rules;
  }

  private int statusFrom(String forwardedFor, String tenant) throws Exception {
    return get("async", "X-Tenant", tenant, "X-Forwarded-For", forwardedFor).statusCode();
  }

  @Test
  void untrustedPeerGainsNothingByOtherAddressesInTheHeader() throws Exception {
    start(onceForEachAddress(), application(Shop.class), Shop.class);

    assertThat(statusFrom("192.0.2.1", "a")).isEqualTo(200);
    for (int i = 2; i < 6; i++) {
      assertThat(statusFrom("192.0.2." + i, "tenant-" + i)).isEqualTo(429);
    }
  }

  @Test
  void trustedProxyTellsTheLastHopThatIsNotTrusted() throws Exception {
    Map<String, String> properties = onceForEachAddress();
    properties.put("rl.identity.trusted-proxies", "127.0.0.1,10.0.0.0/8");
    start(properties, application(Shop.class), Shop.class);

    assertThat(statusFrom("198.51.100.7", "a")).isEqualTo(200);
    assertThat(statusFrom("192.0.2.1, 198.51.100.7", "b")).isEqualTo(429);
    assertThat(statusFrom("192.0.2.2, 198.51.100.7, 10.1.2.3", "c")).isEqualTo(429);
    assertThat(statusFrom("198.51.100.7, 203.0.113.9", "d")).isEqualTo(200);
  }

  @Test
  void filtersByNameLimitTheirPathsInTheirOrder() throws Exception {
    Map<String, String> properties = new HashMap<>();
    properties.put("rl.filter.enabled", "false");
    properties.put("rl.rule-sets[0].id", "first");
    properties.put("rl.rule-sets[0].rules[0].id", "one");
    properties.put("rl.rule-sets[0].rules[0].limit", "1/m");
    properties.put("rl.rule-sets[1].id", "second");
    properties.put("rl.rule-sets[1].rules[0].id", "two");
    properties.put("rl.rule-sets[1].rules[0].limit", "2/m");
    properties.put("rl.filters.late.rule-set-id", "second");
    properties.put("rl.filters.late.order", "10");
    properties.put("rl.filters.early.rule-set-id", "first");
    properties.put("rl.filters.early.include-patterns", "/api/async");
    start(properties, application(Shop.class, Authentication.class), Shop.class);

    assertThat(get("async", "X-Tenant", "a").statusCode()).isEqualTo(200);
    assertThat(get("async", "X-Tenant", "b").body()).contains("\"ruleId\":\"one\"");
    assertThat(get("user", "X-User", "a").statusCode()).isEqualTo(200);
    assertThat(get("user", "X-User", "b").body()).contains("\"ruleId\":\"two\"");
  }

  @Test
  void suspendedResourceIsLimited() throws Exception {
    start(Map.of(), application(Shop.class), Shop.class);

    HttpResponse<String> allowed = get("suspended");
    HttpResponse<String> denied = get("suspended");

    assertThat(allowed.body()).isEqualTo("done");
    assertThat(allowed.headers().allValues("X-RateLimit-Limit")).containsExactly("1");
    assertThat(denied.statusCode()).isEqualTo(429);
  }

  @Test
  void customizerAddsToWhatRulesSee() throws Exception {
    Map<String, String> rules = new HashMap<>();
    rules.put("rl.rules[0].id", "per-tenant");
    rules.put("rl.rules[0].key", "attribute:tenant");
    rules.put("rl.rules[0].limit", "1/m");
    start(rules, application(Shop.class), Shop.class, TenantCustomizer.class);

    assertThat(get("async", "X-Tenant", "acme").statusCode()).isEqualTo(200);
    assertThat(get("async", "X-Tenant", "acme").body()).contains("\"ruleId\":\"per-tenant\"");
    assertThat(get("async", "X-Tenant", "other").statusCode()).isEqualTo(200);
  }

  @Test
  void unmappedFailureHasHeadersToo() throws Exception {
    start(Map.of(), application(Shop.class), Shop.class);

    HttpResponse<String> failed = get("unmapped");

    assertThat(failed.statusCode()).isEqualTo(500);
    assertThat(failed.headers().firstValue("X-RateLimit-Remaining")).contains("4");
  }

  @Test
  void worksWithoutServlets() throws Exception {
    startWithoutServlets(application(Shop.class, Authentication.class), Shop.class);

    HttpResponse<String> allowed = get("async", "X-Tenant", "acme");
    HttpResponse<String> denied =
        get("async", "X-Tenant", "acme", "Origin", "https://shop.example");

    assertThat(allowed.statusCode()).isEqualTo(200);
    assertThat(allowed.headers().allValues("X-RateLimit-Remaining")).containsExactly("0");
    assertThat(denied.statusCode()).isEqualTo(429);
    assertThat(denied.headers().allValues("Retry-After")).hasSize(1);
    assertThat(denied.headers().firstValue("Access-Control-Expose-Headers")).isPresent();
    assertThat(get("user", "X-User", "alice").statusCode()).isEqualTo(200);
    assertThat(get("user", "X-User", "alice").statusCode()).isEqualTo(429);
  }

  @Test
  void customizerChangesHeadersOfDenialsWithoutServlets() throws Exception {
    startWithoutServlets(application(Shop.class), Shop.class, HeaderCustomizer.class);

    get("async", "X-Tenant", "acme");
    HttpResponse<String> denied = get("async", "X-Tenant", "acme");

    assertThat(denied.statusCode()).isEqualTo(429);
    assertThat(denied.headers().map()).doesNotContainKeys("X-RateLimit-Reset", "Redline-Denial");
    assertThat(denied.headers().allValues("X-RateLimit-Limit")).containsExactly("1");
    assertThat(denied.headers().allValues("Retry-After")).containsExactly("7");
  }

  @Test
  void requestsBeforeTheBeansStartDoNotSwitchTheFilterOff() throws Exception {
    startServlets(application());
    assertThat(get("none").statusCode()).isEqualTo(404);

    deployment =
        Deployment.start(
            Map.of("rl.rules[0].id", "once", "rl.rules[0].limit", "1/h"), TenantCustomizer.class);

    assertThat(get("none").statusCode()).isEqualTo(404);
    assertThat(get("none").statusCode()).isEqualTo(429);
  }

  @Test
  void featureMayBeConfiguredTwice() throws Exception {
    startWithoutServlets(application(Shop.class, Repeating.class), Shop.class);

    get("async", "X-Tenant", "acme");
    HttpResponse<String> denied = get("async", "X-Tenant", "acme");

    assertThat(Repeating.last).isFalse();
    assertThat(denied.statusCode()).isEqualTo(429);
    assertThat(denied.headers().allValues("X-RateLimit-Limit")).containsExactly("1");
  }

  @Test
  void limitedResourceThatIsNoBeanStopsTheStart() {
    assertThatThrownBy(() -> startWithoutServlets(application(PlainResource.class), Shop.class))
        .hasStackTraceContaining(PlainResource.class.getName() + ".get would have no effect")
        .hasStackTraceContaining("add @RequestScoped");
  }
}
