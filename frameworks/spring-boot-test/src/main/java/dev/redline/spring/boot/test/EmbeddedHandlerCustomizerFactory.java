package dev.redline.spring.boot.test;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.MapPropertySource;
import org.springframework.test.context.ContextConfigurationAttributes;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.ContextCustomizerFactory;
import org.springframework.test.context.MergedContextConfiguration;
import org.springframework.test.context.TestContextAnnotationUtils;

/**
 * Has the engine decide in tests with {@link AutoConfigureRedline}, whose store the test controls,
 * also if a Redline server decides for the application.
 */
final class EmbeddedHandlerCustomizerFactory implements ContextCustomizerFactory {
  @Override
  public @Nullable ContextCustomizer createContextCustomizer(
      Class<?> testClass, List<ContextConfigurationAttributes> attributes) {
    return TestContextAnnotationUtils.hasAnnotation(testClass, AutoConfigureRedline.class)
        ? new EmbeddedHandler()
        : null;
  }

  /** All are equal, so that tests share their contexts. */
  private record EmbeddedHandler() implements ContextCustomizer {
    @Override
    public void customizeContext(
        ConfigurableApplicationContext context, MergedContextConfiguration configuration) {
      context
          .getEnvironment()
          .getPropertySources()
          .addFirst(new MapPropertySource("redline-test", Map.of("rl.handler", "EMBEDDED")));
    }
  }
}
