package dev.redline.spring.boot.autoconfigure;

import dev.redline.application.WebFilterSettings;
import dev.redline.core.internal.settings.FlatProperties;
import java.util.LinkedHashSet;
import java.util.Set;
import org.springframework.beans.factory.support.BeanDefinitionBuilder;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.context.EnvironmentAware;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.util.Assert;

/**
 * Registers a bean for each filter of {@code rl.filters.<name>.*} and of {@link
 * EnableRedlineFilter}. In a native image the names are those at build time; everything else of the
 * filters is read when it runs.
 */
abstract class NamedFilterRegistrar implements ImportBeanDefinitionRegistrar, EnvironmentAware {
  private final Class<?> beanType;
  private final String factoryBean;
  private ConfigurableEnvironment environment;

  /**
   * Creates the registrar.
   *
   * @param beanType the type of the filters
   * @param factoryBean the bean whose method {@code create} makes a filter by its name
   */
  @SuppressWarnings("NullAway.Init") // Spring sets the environment before it uses the registrar
  NamedFilterRegistrar(Class<?> beanType, String factoryBean) {
    this.beanType = beanType;
    this.factoryBean = factoryBean;
  }

  @Override
  public void setEnvironment(Environment value) {
    Assert.isInstanceOf(ConfigurableEnvironment.class, value);
    environment = (ConfigurableEnvironment) value;
  }

  @Override
  public void registerBeanDefinitions(
      AnnotationMetadata importing, BeanDefinitionRegistry registry) {
    Set<String> names = new LinkedHashSet<>(EnabledFilter.names(registry));
    names.addAll(
        new FlatProperties(RedlineAutoConfiguration.properties(environment))
            .namesUnder(WebFilterSettings.NAMED));
    for (String name : names) {
      registry.registerBeanDefinition(
          "redlineFilter." + name,
          BeanDefinitionBuilder.genericBeanDefinition(beanType)
              .setFactoryMethodOnBean("create", factoryBean)
              .addConstructorArgValue(name)
              .getBeanDefinition());
    }
  }
}
