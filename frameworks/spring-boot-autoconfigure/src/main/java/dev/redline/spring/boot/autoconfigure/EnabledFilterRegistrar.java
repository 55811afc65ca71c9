package dev.redline.spring.boot.autoconfigure;

import dev.redline.application.WebFilterSettings;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.springframework.beans.factory.support.BeanDefinitionBuilder;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.annotation.AnnotationAttributes;
import org.springframework.core.type.AnnotationMetadata;

/** Registers an {@link EnabledFilter} for each {@link EnableRedlineFilter} of a class. */
final class EnabledFilterRegistrar implements ImportBeanDefinitionRegistrar {
  private static final Pattern NAME = Pattern.compile("[a-z0-9-]*");

  @Override
  public void registerBeanDefinitions(
      AnnotationMetadata importing, BeanDefinitionRegistry registry) {
    importing
        .getMergedRepeatableAnnotationAttributes(
            EnableRedlineFilter.class, EnableRedlineFilter.List.class, false)
        .forEach(attributes -> register(attributes, importing.getClassName(), registry));
  }

  private static void register(
      AnnotationAttributes annotation, String className, BeanDefinitionRegistry registry) {
    String name = annotation.getString("name");
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "@EnableRedlineFilter of "
              + className
              + ": the name '"
              + name
              + "' is not allowed; use lower-case letters, digits and dashes");
    }
    String bean = EnabledFilter.beanName(name);
    if (registry.containsBeanDefinition(bean)) {
      throw new IllegalArgumentException(
          "@EnableRedlineFilter of "
              + className
              + ": there is another one of the name '"
              + name
              + "'; each filter needs a name of its own");
    }
    registry.registerBeanDefinition(
        bean,
        BeanDefinitionBuilder.genericBeanDefinition(EnabledFilter.class)
            .addConstructorArgValue(properties(annotation, name))
            .getBeanDefinition());
  }

  private static Map<String, String> properties(AnnotationAttributes annotation, String name) {
    String prefix = name.isEmpty() ? "rl.filter." : WebFilterSettings.NAMED + name + ".";
    Map<String, String> properties = new LinkedHashMap<>();
    properties.put(prefix + "order", annotation.<Integer>getNumber("order").toString());
    if (!annotation.getString("ruleSetId").isEmpty()) {
      properties.put(prefix + "rule-set-id", annotation.getString("ruleSetId"));
    }
    put(properties, prefix + "include-patterns", annotation.getStringArray("includePatterns"));
    put(properties, prefix + "exclude-patterns", annotation.getStringArray("excludePatterns"));
    return properties;
  }

  private static void put(Map<String, String> properties, String name, String[] values) {
    for (int i = 0; i < values.length; i++) {
      properties.put(name + "[" + i + "]", values[i]);
    }
  }
}
