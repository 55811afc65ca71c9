package dev.redline.spring.boot.autoconfigure;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;

/**
 * A filter that {@link EnableRedlineFilter} declares.
 *
 * @param properties its attributes as properties, which those of the environment replace
 */
record EnabledFilter(Map<String, String> properties) {
  private static final String BEAN = "redlineEnabledFilter.";

  /** Keeps the order. */
  EnabledFilter {
    properties = new LinkedHashMap<>(properties);
  }

  /** Returns the name of the bean for a filter. */
  static String beanName(String filter) {
    return BEAN + filter;
  }

  /** Returns the names of the filters that are declared, without the one that has no name. */
  static List<String> names(BeanDefinitionRegistry registry) {
    return Stream.of(registry.getBeanDefinitionNames())
        .filter(bean -> bean.startsWith(BEAN))
        .map(bean -> bean.substring(BEAN.length()))
        .filter(name -> !name.isEmpty())
        .toList();
  }
}
