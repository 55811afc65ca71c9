package dev.redline.jakarta;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.FilterRegistration;
import jakarta.servlet.ServletContainerInitializer;
import jakarta.servlet.ServletContext;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Registers the filters of a servlet application: one before the filters that the application
 * declares, and one after them.
 */
public final class RedlineInitializer implements ServletContainerInitializer {
  /** Creates the initializer; the container calls it. */
  public RedlineInitializer() {}

  @Override
  public void onStartup(@Nullable Set<Class<?>> classes, ServletContext context) {
    register(context, "redlineFilter", order -> order < 0, false);
    register(context, "redlineFilterAfterOthers", order -> order >= 0, true);
  }

  private static void register(
      ServletContext context, String name, IntPredicate orders, boolean afterOthers) {
    FilterRegistration.Dynamic filter = context.addFilter(name, new ServletLimits(orders));
    if (filter == null) {
      // The container calls an initializer twice, or the application declares the filter itself.
      return;
    }
    filter.setAsyncSupported(true);
    filter.addMappingForUrlPatterns(EnumSet.of(DispatcherType.REQUEST), afterOthers, "/*");
  }
}
