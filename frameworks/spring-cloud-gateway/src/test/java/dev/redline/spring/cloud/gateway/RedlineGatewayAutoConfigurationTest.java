package dev.redline.spring.cloud.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableReactiveWebApplicationContext;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.cloud.gateway.filter.factory.RequestRateLimiterGatewayFilterFactory;
import org.springframework.cloud.gateway.filter.ratelimit.RateLimiter;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import reactor.core.publisher.Mono;

class RedlineGatewayAutoConfigurationTest {
  private final ReactiveWebApplicationContextRunner runner =
      new ReactiveWebApplicationContextRunner()
          .withUserConfiguration(Application.class)
          .withPropertyValues("rl.plans[0].id=gold", "rl.plans[0].limit=2/m");

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Application {}

  @Configuration(proxyBeanMethods = false)
  static class OwnBeans {
    @Bean
    RateLimiter<Object> redlineRateLimiter() {
      return new OwnLimiter();
    }

    @Bean
    RedlineGatewayFilterFactory ownFilter() {
      return new RedlineGatewayFilterFactory(
          ruleSetId -> {
            throw new IllegalStateException("not used");
          },
          ruleSetId -> true);
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class OtherLimiter {
    @Bean
    RateLimiter<Object> redisRateLimiter() {
      return new OwnLimiter();
    }
  }

  private static final class OwnLimiter implements RateLimiter<Object> {
    @Override
    public Mono<Response> isAllowed(String routeId, String id) {
      return Mono.just(new Response(true, Map.of()));
    }

    @Override
    public Map<String, Object> getConfig() {
      return new HashMap<>();
    }

    @Override
    public Class<Object> getConfigClass() {
      return Object.class;
    }

    @Override
    public Object newConfig() {
      return new Object();
    }
  }

  private static RateLimiter<?> defaultLimiter(AssertableReactiveWebApplicationContext context) {
    return context.getBean(RequestRateLimiterGatewayFilterFactory.class).getDefaultRateLimiter();
  }

  @Test
  void rateLimiterIsTheDefaultIfThereIsNoOther() {
    runner.run(
        context -> {
          assertThat(defaultLimiter(context)).isInstanceOf(RedlineRateLimiter.class);
          assertThat(context).hasBean("redlineRateLimiter");
          assertThat(context.getBean(RedlineGatewayFilterFactory.class).name())
              .isEqualTo("Redline");
        });
  }

  @Test
  void anotherRateLimiterStaysTheDefault() {
    runner
        .withUserConfiguration(OtherLimiter.class)
        .run(
            context -> {
              assertThat(defaultLimiter(context)).isInstanceOf(OwnLimiter.class);
              assertThat(context.getBean("redlineRateLimiter"))
                  .isInstanceOf(RedlineRateLimiter.class);
            });
  }

  @Test
  void beansOfTheApplicationWin() {
    runner
        .withUserConfiguration(OwnBeans.class)
        .run(
            context -> {
              assertThat(context).doesNotHaveBean(RedlineRateLimiter.class);
              assertThat(defaultLimiter(context)).isInstanceOf(OwnLimiter.class);
              assertThat(context)
                  .getBean(RedlineGatewayFilterFactory.class)
                  .isSameAs(context.getBean("ownFilter"));
            });
  }

  private ReactiveWebApplicationContextRunner withRoute(String... filter) {
    String route = "spring.cloud.gateway.server.webflux.routes[0].";
    ReactiveWebApplicationContextRunner with =
        runner.withPropertyValues(
            route + "id=shop", route + "uri=http://127.0.0.1:9", route + "predicates[0]=Path=/x");
    for (String property : filter) {
      with = with.withPropertyValues(route + "filters[0]" + property);
    }
    return with;
  }

  @Test
  void wrongLimitOfARouteStopsTheStart() {
    withRoute(
            ".name=RequestRateLimiter",
            ".args[rate-limiter]=#{@redlineRateLimiter}",
            ".args[redline-rate-limiter.plan]=silver")
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .hasStackTraceContaining("route 'shop': there is no plan 'silver'"));
  }

  @Test
  void wrongNameOfARuleSetStopsTheStart() {
    withRoute("=Redline=no such name")
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .hasStackTraceContaining("the rule set of the filter Redline must be 1 to 128")
                    .hasStackTraceContaining("was 'no such name'"));
  }
}
