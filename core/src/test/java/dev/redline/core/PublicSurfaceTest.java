package dev.redline.core;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import java.util.List;

/**
 * The public types are a promise to users, so the list changes only on purpose. A type that only
 * other modules of the project need belongs in an {@code internal} package.
 */
@AnalyzeClasses(packages = "dev.redline.core", importOptions = DoNotIncludeTests.class)
class PublicSurfaceTest {
  private static final String ROOT = "dev.redline.core.";

  /** The public top-level types outside {@code internal}, sorted, without {@link #ROOT}. */
  private static final List<String> PUBLIC_TYPES =
      """
      BucketReset
      DecisionListener
      DecisionPoint
      EngineSettings
      Explanation
      KeyedLimiter
      LimitCheck
      OversizedRequestException
      RateLimit
      RateLimitEngine
      RateLimitExceededException
      RateLimitHandler
      RateLimitResult
      RateLimiter
      Reason
      RuleChange
      UnknownNameException
      key.ApiKeyDigest
      key.IdentitySettings
      key.IpAddress
      key.KeyField
      key.KeyResolver
      key.RequestContext
      limit.BucketLimits
      limit.RateLimitBand
      memory.LocalStore
      rule.Action
      rule.InMemoryPlanRegistry
      rule.LimitScope
      rule.MatchCondition
      rule.Mode
      rule.OnLimitExceed
      rule.OnMissingIdentity
      rule.OnStoreFailure
      rule.PlanRegistry
      rule.RateLimitPlan
      rule.RateLimitRule
      rule.RateLimitRuleSet
      rule.RuleBook
      rule.RuleMatch
      rule.RuleSetProvider
      settings.InvalidSettingsException
      settings.Settings
      spi.ConfigProvider
      spi.MetricsExporter
      spi.MetricsExporterFactory
      spi.PluginFactory
      spi.PropertyReader
      spi.RuleRepository
      spi.RuleSourceFactory
      spi.StoreFactory
      store.Acquisition
      store.BucketStates
      store.ForwardingStore
      store.MicrosClock
      store.Outcome
      store.RateLimitKey
      store.RemoteStore
      store.StorageProvider
      store.StoreException
      store.TokenLeases
      """
          .lines()
          .toList();

  @ArchTest
  static void publicTypesAreTheListedOnes(JavaClasses classes) {
    List<String> found =
        classes.stream()
            .filter(type -> type.isTopLevelClass())
            .filter(type -> type.getModifiers().contains(JavaModifier.PUBLIC))
            .filter(type -> !type.getPackageName().contains(".internal"))
            .map(JavaClass::getName)
            .map(name -> name.substring(ROOT.length()))
            .sorted()
            .toList();
    assertThat(found)
        .as("public types of core: hide a new one, or add it to the list and to CHANGELOG.md")
        .containsExactlyElementsOf(PUBLIC_TYPES);
  }
}
