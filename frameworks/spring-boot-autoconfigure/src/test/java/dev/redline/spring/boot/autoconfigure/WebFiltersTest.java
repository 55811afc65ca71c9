package dev.redline.spring.boot.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.application.ApplicationSettings;
import dev.redline.application.WebFilterSettings;
import dev.redline.binding.InvalidBindingException;
import dev.redline.core.RateLimit;
import dev.redline.spring.webflux.ReactiveRateLimitFilter;
import jakarta.servlet.Filter;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServlet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.mock.web.MockFilterChain;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.stereotype.Controller;
import reactor.core.publisher.Mono;

class WebFiltersTest {
  private final WebApplicationContextRunner servlet =
      new WebApplicationContextRunner()
          .withConfiguration(
              AutoConfigurations.of(
                  RedlineAutoConfiguration.class, RedlineServletAutoConfiguration.class));
  private final ReactiveWebApplicationContextRunner reactive =
      new ReactiveWebApplicationContextRunner()
          .withConfiguration(
              AutoConfigurations.of(
                  RedlineAutoConfiguration.class,
                  RedlineMethodAutoConfiguration.class,
                  RedlineWebFluxAutoConfiguration.class));

  @Configuration(proxyBeanMethods = false)
  @EnableRedlineFilter(order = -30, excludePatterns = "/health/*")
  @EnableRedlineFilter(name = "login", ruleSetId = "login", order = -200, includePatterns = "/in/*")
  static class TwoFilters {}

  @Configuration(proxyBeanMethods = false)
  @EnableRedlineFilter(name = "login")
  static class OneFilter {}

  @Configuration(proxyBeanMethods = false)
  @EnableRedlineFilter(name = "Log In")
  static class BadName {}

  private static FilterRegistrationBean<?> registration(ApplicationContext context, String name) {
    return context.getBean(name, FilterRegistrationBean.class);
  }

  @Test
  void annotationDeclaresServletFilters() {
    servlet
        .withUserConfiguration(TwoFilters.class)
        .run(
            context -> {
              assertThat(registration(context, "redlineFilter").getOrder()).isEqualTo(-30);
              assertThat(registration(context, "redlineFilter.login").getOrder()).isEqualTo(-200);
              ApplicationSettings settings = context.getBean(ApplicationSettings.class);
              assertThat(settings.filters().get("").paths().cover("/health/x")).isFalse();
              assertThat(settings.filters().get("login").ruleSetId()).contains("login");
              assertThat(settings.filters().get("login").paths().cover("/in/deep/er")).isTrue();
              assertThat(settings.filters().get("login").paths().cover("/out")).isFalse();
            });
  }

  @Test
  void annotationDeclaresReactiveFilters() {
    reactive
        .withUserConfiguration(TwoFilters.class)
        .run(
            context ->
                assertThat(
                        context
                            .getBean("redlineFilter.login", ReactiveRateLimitFilter.class)
                            .getOrder())
                    .isEqualTo(-200));
  }

  @Test
  void propertiesWinOverTheAnnotation() {
    servlet
        .withUserConfiguration(TwoFilters.class)
        .withPropertyValues(
            "rl.filters.login.order=-300",
            "rl.filters.login.include-patterns=/other",
            "rl.filters.login.enabled=false")
        .run(
            context -> {
              assertThat(registration(context, "redlineFilter.login").getOrder()).isEqualTo(-300);
              assertThat(registration(context, "redlineFilter.login").isEnabled()).isFalse();
              WebFilterSettings login =
                  context.getBean(ApplicationSettings.class).filters().get("login");
              assertThat(login.paths().cover("/in/x")).isFalse();
              assertThat(login.paths().cover("/other")).isTrue();
              assertThat(login.ruleSetId()).contains("login");
            });
  }

  @Test
  void rejectsTwoFiltersOfOneNameAndBadNames() {
    servlet
        .withUserConfiguration(TwoFilters.class, OneFilter.class)
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .hasStackTraceContaining("there is another one of the name 'login'"));
    servlet
        .withUserConfiguration(BadName.class)
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .hasStackTraceContaining("the name 'Log In' is not allowed"));
  }

  /** Counts the requests that reach it. */
  @SuppressWarnings("serial")
  private static final class CountingServlet extends HttpServlet {
    private int requests;

    @Override
    public void service(ServletRequest request, ServletResponse response) {
      requests++;
    }
  }

  /** Returns how many of ten requests both filters allow, in either order. */
  private static int allowed(ApplicationContext context, String path, boolean namedFirst)
      throws Exception {
    Filter named = registration(context, "redlineFilter.login").getFilter();
    Filter standard = registration(context, "redlineFilter").getFilter();
    CountingServlet servlet = new CountingServlet();
    for (int i = 0; i < 10; i++) {
      MockFilterChain chain =
          namedFirst
              ? new MockFilterChain(servlet, named, standard)
              : new MockFilterChain(servlet, standard, named);
      chain.doFilter(new MockHttpServletRequest("GET", path), new MockHttpServletResponse());
    }
    return servlet.requests;
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void severalFiltersChargeRequestsOnceUnderEachRule(boolean namedFirst) {
    servlet
        .withPropertyValues(
            "rl.filters.login.rule-set-id=login",
            "rl.filters.login.include-patterns=/in/*",
            "rl.rule-sets[0].id=login",
            "rl.rule-sets[0].rules[0].id=attempts",
            "rl.rule-sets[0].rules[0].limit=4/h",
            "rl.rules[0].id=everything",
            "rl.rules[0].path=/out/**",
            "rl.rules[0].limit=3/h")
        .run(
            context -> {
              assertThat(allowed(context, "/in/x", namedFirst)).isEqualTo(4);
              assertThat(allowed(context, "/out/x", namedFirst)).isZero();
            });
    servlet
        .withPropertyValues(
            "rl.filters.login.include-patterns=/in/*",
            "rl.rules[0].id=all",
            "rl.rules[0].limit=4/h")
        .run(context -> assertThat(allowed(context, "/in/x", namedFirst)).isEqualTo(4));
    servlet
        .withPropertyValues(
            "rl.filters.login.rule-set-id=login",
            "rl.filters.login.include-patterns=/in/*",
            "rl.rule-sets[0].id=login",
            "rl.rule-sets[0].rules[0].id=attempts",
            "rl.rule-sets[0].rules[0].limit=9/h",
            "rl.rules[0].id=everything",
            "rl.rules[0].limit=3/h")
        .run(context -> assertThat(allowed(context, "/in/x", namedFirst)).isEqualTo(3));
  }

  /** A controller whose limit needs the request. */
  @Controller
  static class PlainController {
    @RateLimit("1/m")
    String plain() {
      return "";
    }

    @RateLimit("1/m")
    Mono<String> mono() {
      return Mono.empty();
    }

    @RateLimit(value = "1/m", key = "#user")
    String byArgument(String user) {
      return user;
    }
  }

  @Test
  void controllerOfWebFluxThatCannotKnowTheRequestIsAnError() {
    reactive
        .withBean(PlainController.class)
        .run(
            context -> {
              Throwable failure = context.getStartupFailure();
              while (failure != null && !(failure instanceof InvalidBindingException)) {
                failure = failure.getCause();
              }
              assertThat(failure)
                  .hasMessageContaining("PlainController.plain")
                  .hasMessageContaining("return a Mono or Flux")
                  .hasMessageNotContaining("PlainController.mono")
                  .hasMessageNotContaining("byArgument");
            });
    servlet
        .withConfiguration(AutoConfigurations.of(RedlineMethodAutoConfiguration.class))
        .withBean(PlainController.class)
        .run(context -> assertThat(context).hasNotFailed());
  }
}
