package dev.redline.spring.boot.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.redline.application.ApplicationSettings;
import dev.redline.application.ChosenHandler;
import dev.redline.assembly.RedlineAssembly;
import dev.redline.core.DecisionListener;
import dev.redline.core.LimitCheck;
import dev.redline.core.RateLimitEngine;
import dev.redline.core.RateLimitHandler;
import dev.redline.core.RateLimitResult;
import dev.redline.core.Reason;
import dev.redline.core.RuleChange;
import dev.redline.core.key.RequestContext;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.memory.LocalStore;
import dev.redline.core.rule.PlanRegistry;
import dev.redline.core.rule.RateLimitPlan;
import dev.redline.core.rule.RateLimitRule;
import dev.redline.core.rule.RateLimitRuleSet;
import dev.redline.core.rule.RuleSetProvider;
import dev.redline.core.settings.InvalidSettingsException;
import dev.redline.core.spi.ConfigProvider;
import dev.redline.core.spi.MetricsExporter;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.MicrosClock;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.RemoteStore;
import dev.redline.core.store.StorageProvider;
import io.micrometer.observation.ObservationRegistry;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.core.env.SystemEnvironmentPropertySource;

class RedlineAutoConfigurationTest {
  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withConfiguration(
              AutoConfigurations.of(
                  RedlineAutoConfiguration.class,
                  RedlineMethodAutoConfiguration.class,
                  RedlineActuatorAutoConfiguration.class))
          .withPropertyValues(
              "rl.rules[0].id=all", "rl.rules[0].path=/api/**", "rl.rules[0].limit=2/m");

  private static RequestContext request() {
    return RequestContext.builder().path("/api/x").clientIp("192.0.2.1").build();
  }

  private static boolean allowed(RateLimitEngine engine) {
    return engine.check(request()).allowed();
  }

  @Test
  void appliesInlineRules() {
    runner.run(
        context -> {
          RateLimitEngine engine = context.getBean(RateLimitEngine.class);
          assertThat(List.of(allowed(engine), allowed(engine), allowed(engine)))
              .containsExactly(true, true, false);
        });
  }

  @Test
  void killSwitchLimitsNothing() {
    runner
        .withPropertyValues("rl.enabled=false")
        .run(
            context -> {
              RateLimitEngine engine = context.getBean(RateLimitEngine.class);
              for (int i = 0; i < 10; i++) {
                assertThat(engine.check(request()).reason()).isEqualTo(Reason.DISABLED);
              }
            });
  }

  @Test
  void storeOfTheApplicationWins() {
    LocalStore own = new LocalStore(10, MicrosClock.monotonic());
    runner
        .withBean("ownStore", StorageProvider.class, () -> own)
        .withPropertyValues("rl.storage.type=SOMETHING_ELSE")
        .run(context -> assertThat(context.getBean(RedlineAssembly.class).store()).isSameAs(own));
  }

  @Test
  void metricsExporterOfTheApplicationWins() {
    MetricsExporter own = (ruleSetId, ruleId) -> MetricsExporter.RuleMeter.NONE;
    runner
        .withBean(MetricsExporter.class, () -> own)
        .run(context -> assertThat(context.getBean(RedlineAssembly.class).metrics()).isSameAs(own));
  }

  @Test
  void planRegistryOfTheApplicationWins() {
    RateLimitPlan gold = RateLimitPlan.of("gold", RateLimitBand.parse("1/m"));
    runner
        .withBean(PlanRegistry.class, () -> name -> Optional.of(gold))
        .run(
            context -> {
              RateLimitEngine engine = context.getBean(RateLimitEngine.class);
              assertThat(engine.allow("alice", "gold").allowed()).isTrue();
              assertThat(engine.allow("alice", "gold").allowed()).isFalse();
            });
  }

  @Test
  void ruleSetProviderOfTheApplicationWins() {
    RateLimitRule rule =
        RateLimitRule.builder()
            .id("own")
            .ruleSetId("own-set")
            .addBand(RateLimitBand.parse("1/m"))
            .build();
    runner
        .withBean(
            RuleSetProvider.class,
            () -> id -> Optional.of(new RateLimitRuleSet("own-set", List.of(rule))))
        .run(
            context -> {
              RateLimitEngine engine = context.getBean(RateLimitEngine.class);
              assertThat(engine.check("own-set", request()).ruleId()).contains("own");
            });
  }

  @Test
  void configProviderOfTheApplicationIsTheStrongestSource() {
    runner
        .withBean(ConfigProvider.class, () -> new OneDocument("rules: [{id: all, limit: 1/m}]"))
        .run(
            context -> {
              RateLimitEngine engine = context.getBean(RateLimitEngine.class);
              assertThat(List.of(allowed(engine), allowed(engine))).containsExactly(true, false);
            });
  }

  @Test
  void handlerOfTheApplicationWins() {
    RateLimitHandler own =
        check -> CompletableFuture.completedFuture(RateLimitResult.of(Reason.BLOCKED));
    runner
        .withBean(RateLimitHandler.class, () -> own)
        .run(context -> assertThat(decide(context).reason()).isEqualTo(Reason.BLOCKED));
  }

  @Test
  void killSwitchHoldsForTheHandlerOfTheApplication() {
    RateLimitHandler own =
        check -> CompletableFuture.completedFuture(RateLimitResult.of(Reason.BLOCKED));
    runner
        .withBean(RateLimitHandler.class, () -> own)
        .withPropertyValues("rl.enabled=false")
        .run(
            context -> {
              assertThat(decide(context).reason()).isEqualTo(Reason.DISABLED);
              assertThat(
                      context
                          .getBean(ChosenHandler.class)
                          .handler()
                          .handleAndWait(LimitCheck.ofRequest(request()))
                          .reason())
                  .isEqualTo(Reason.DISABLED);
            });
  }

  private static RateLimitResult decide(ApplicationContext context) {
    return context
        .getBean(ChosenHandler.class)
        .handler()
        .handle(LimitCheck.ofRequest(request()))
        .toCompletableFuture()
        .join();
  }

  @Test
  void listenersOfTheApplicationAreNotified() {
    List<RateLimitResult> decisions = new CopyOnWriteArrayList<>();
    List<RuleChange> changes = new CopyOnWriteArrayList<>();
    DecisionListener throwing =
        (check, result, rules) -> {
          throw new IllegalStateException("a listener that fails");
        };
    runner
        .withBean("throwing", DecisionListener.class, () -> throwing)
        .withBean(
            "decisions",
            DecisionListener.class,
            () -> (check, result, rules) -> decisions.add(result))
        .withBean("changes", RuleChange.Listener.class, () -> changes::add)
        .run(
            context -> {
              RateLimitEngine engine = context.getBean(RateLimitEngine.class);
              engine.handle(LimitCheck.ofRequest(request()));
              await().until(() -> decisions.size() == 1);
              assertThat(changes).isNotEmpty();
            });
  }

  @Test
  void environmentVariableStandsForAPropertyWithDashes() {
    runner
        .withInitializer(
            context ->
                context
                    .getEnvironment()
                    .getPropertySources()
                    .addFirst(
                        new SystemEnvironmentPropertySource(
                            "testEnvironment",
                            Map.of(
                                "RL_STORAGE_MAX_KEYS", "77",
                                "RL_FILTERS_LOGIN_ORDER", "-200",
                                "RL_UNKNOWN_THING", "1"))))
        .run(
            context -> {
              ApplicationSettings settings = context.getBean(ApplicationSettings.class);
              assertThat(settings.assembly().storage().maxKeys()).isEqualTo(77);
              assertThat(settings.filters().get("login").order()).isEqualTo(-200);
            });
  }

  @Test
  void wrongValuesAndUnknownNamesStopTheStartTogether() {
    runner
        .withPropertyValues(
            "rl.fail.strategy=sometimes", "rl.filter.ordr=1", "rl.filter.include-patterns=*.html")
        .run(
            context -> {
              Throwable failure = context.getStartupFailure();
              while (!(failure instanceof InvalidSettingsException) && failure != null) {
                failure = failure.getCause();
              }
              assertThat(failure).isInstanceOf(InvalidSettingsException.class);
              FailureAnalysis analysis = new InvalidSettingsAnalyzer().analyze(failure);
              assertThat(analysis.getDescription())
                  .contains("rl.fail.strategy: 'sometimes' is not allowed; use one of")
                  .contains(
                      "rl.filter.ordr: there is no such property; did you mean rl.filter.order?")
                  .contains("rl.filter.include-patterns: '*.html' is not allowed");
            });
  }

  @Test
  void keyOfTokensNeedsTheModuleThatVerifiesThem() {
    String secret = "x".repeat(32);
    runner
        .withPropertyValues(
            "rl.identity.jwt.hmac-secret=" + secret, "rl.identity.jwt.on-invalid=REJECT")
        .run(
            context ->
                assertThat(context.getStartupFailure())
                    .rootCause()
                    .isInstanceOf(InvalidSettingsException.class)
                    .hasMessageContaining("rl.identity.jwt.hmac-secret: add")
                    .hasMessageContaining("dev.redline:redline-identity-jwt")
                    .hasMessageNotContaining(secret));
  }

  @Test
  void endpointDescribesRulesStoreAndSettings() {
    runner.run(
        context ->
            assertThat(context.getBean(RateLimitingEndpoint.class).describe())
                .containsKeys("version", "enabled", "rules", "store", "settings")
                .containsEntry("enabled", true));
  }

  @Test
  void callsOfARemoteStoreAreObservationsAndDecisionsInProcessAreNot() {
    List<String> observations = new CopyOnWriteArrayList<>();
    ObservationRegistry registry = ObservationRegistry.create();
    registry
        .observationConfig()
        .observationHandler(
            context -> {
              observations.add(context.getName());
              return true;
            });
    ApplicationContextRunner observed = runner.withBean(ObservationRegistry.class, () -> registry);

    observed.run(context -> allowed(context.getBean(RateLimitEngine.class)));
    assertThat(observations).isEmpty();

    observed
        .withBean(StorageProvider.class, NearbyRemoteStore::new)
        .run(
            context -> {
              assertThat(allowed(context.getBean(RateLimitEngine.class))).isTrue();
              assertThat(observations).contains("ratelimit.store.call");
            });
  }

  /** A remote store, which is in this process. */
  private static final class NearbyRemoteStore implements RemoteStore {
    private final LocalStore store = new LocalStore(10, MicrosClock.monotonic());

    @Override
    public String type() {
      return "nearby";
    }

    @Override
    public CompletionStage<Outcome> acquire(Acquisition acquisition) {
      return store.acquire(acquisition);
    }

    @Override
    public List<String> nodes(Acquisition acquisition) {
      return List.of("node");
    }

    @Override
    public void observe(CallObserver observer) {}

    @Override
    public void close() {
      store.close();
    }
  }

  /** A source of one document. */
  private record OneDocument(String text) implements ConfigProvider {
    @Override
    public String name() {
      return "own";
    }

    @Override
    public Optional<Snapshot> load() {
      return Optional.of(new Snapshot("1", List.of(new Document("own", text))));
    }
  }
}
