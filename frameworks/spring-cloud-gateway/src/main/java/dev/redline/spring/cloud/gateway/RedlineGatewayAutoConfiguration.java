package dev.redline.spring.cloud.gateway;

import dev.redline.application.ApplicationSettings;
import dev.redline.application.ChosenHandler;
import dev.redline.application.WebFilterSettings;
import dev.redline.binding.web.RequestLimiter;
import dev.redline.core.RateLimitEngine;
import dev.redline.core.rule.RuleBook;
import dev.redline.spring.boot.autoconfigure.RedlineWebFluxAutoConfiguration;
import dev.redline.spring.webflux.ExchangeLimiter;
import dev.redline.spring.webflux.ReactiveRequests;
import dev.redline.spring.webflux.ReactiveResponses;
import java.util.Optional;
import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.cloud.gateway.filter.factory.GatewayFilterFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Fallback;

/**
 * The filter {@code Redline} and the rate limiter {@code redlineRateLimiter} of Spring Cloud
 * Gateway.
 *
 * <p>It comes before the gateway's own configuration, which has the filter {@code
 * RequestRateLimiter} only if there is a rate limiter.
 */
@AutoConfiguration(
    after = RedlineWebFluxAutoConfiguration.class,
    afterName = "org.springframework.cloud.gateway.config.GatewayRedisAutoConfiguration",
    beforeName = "org.springframework.cloud.gateway.config.GatewayAutoConfiguration")
@ConditionalOnClass(GatewayFilterFactory.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
@RegisterReflectionForBinding({
  RedlineGatewayFilterFactory.RuleSetChoice.class,
  RedlineRateLimiter.Config.class
})
public class RedlineGatewayAutoConfiguration {
  @Bean
  @ConditionalOnMissingBean
  RedlineGatewayFilterFactory redlineGatewayFilterFactory(
      ApplicationSettings settings,
      ChosenHandler handler,
      RateLimitEngine engine,
      ReactiveRequests requests,
      ReactiveResponses responses) {
    Optional<String> ofWebFilter =
        Optional.ofNullable(settings.filters().get(WebFilterSettings.DEFAULT))
            .flatMap(WebFilterSettings::ruleSetId);
    return new RedlineGatewayFilterFactory(
        ruleSetId ->
            new ExchangeLimiter(
                new RequestLimiter(
                    handler.handler(),
                    ruleSetId.or(() -> ofWebFilter),
                    settings.core().missingRules()),
                settings.core().defaultRuleSetId(),
                requests,
                responses),
        ruleSetId -> handler.handler() != engine || isInBook(engine, ruleSetId));
  }

  /**
   * A set of the application's own {@code RuleSetProvider}, and one that is missing, is not.
   * Without a rule book a server decides, whose sets are not known here: it had them all.
   */
  private static boolean isInBook(RateLimitEngine engine, String ruleSetId) {
    RuleBook book = engine.book();
    return book == null || book.ruleSets().containsKey(ruleSetId);
  }

  /** Is the default of {@code RequestRateLimiter} only where there is no other rate limiter. */
  @Bean(RedlineRateLimiter.BEAN_NAME)
  @Fallback
  @ConditionalOnMissingBean(name = RedlineRateLimiter.BEAN_NAME)
  RedlineRateLimiter redlineRateLimiter(
      ApplicationSettings settings,
      ChosenHandler handler,
      RateLimitEngine engine,
      ReactiveResponses responses) {
    RequestLimiter limiter =
        new RequestLimiter(handler.handler(), Optional.empty(), settings.core().missingRules());
    return new RedlineRateLimiter(limiter, engine, responses);
  }

  @Bean
  @ConditionalOnMissingBean
  UpstreamLimitHeaders redlineUpstreamLimitHeaders() {
    return new UpstreamLimitHeaders();
  }
}
