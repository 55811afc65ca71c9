package dev.redline.spring.boot.autoconfigure;

import dev.redline.core.internal.token.TokenVerifierFactory;
import dev.redline.core.spi.MetricsExporterFactory;
import dev.redline.core.spi.RuleSourceFactory;
import dev.redline.core.spi.StoreFactory;
import java.util.List;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/** What a native image needs beyond beans: the factories of plugins, scripts and versions. */
final class RedlineRuntimeHints implements RuntimeHintsRegistrar {
  @Override
  public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
    for (Class<?> type :
        List.of(
            StoreFactory.class,
            RuleSourceFactory.class,
            MetricsExporterFactory.class,
            TokenVerifierFactory.class)) {
      hints.resources().registerPattern("META-INF/services/" + type.getName());
      ServiceLoader.load(type, classLoader).stream()
          .forEach(
              provider ->
                  hints
                      .reflection()
                      .registerType(provider.type(), MemberCategory.INVOKE_PUBLIC_CONSTRUCTORS));
    }
    hints.resources().registerPattern("dev/redline/stores/redis/*.lua");
    hints.resources().registerPattern("dev/redline/rules/redis/*.lua");
    hints.resources().registerPattern("dev/redline/spring/boot/autoconfigure/version.properties");
  }
}
