package dev.redline.jakarta;

import jakarta.enterprise.inject.se.SeContainer;
import jakarta.enterprise.inject.se.SeContainerInitializer;
import java.util.HashMap;
import java.util.Map;

/** An application in Weld SE with some beans and properties. */
final class Deployment implements AutoCloseable {
  private final Map<String, String> properties;
  private final SeContainer container;

  private Deployment(Map<String, String> properties, SeContainer container) {
    this.properties = properties;
    this.container = container;
  }

  /** Starts an application; {@code properties} are system properties until it is closed. */
  static Deployment start(Map<String, String> properties, Class<?>... beans) {
    properties.forEach(System::setProperty);
    try {
      SeContainer container =
          SeContainerInitializer.newInstance().addBeanClasses(beans).initialize();
      return new Deployment(new HashMap<>(properties), container);
    } catch (Throwable e) {
      properties.keySet().forEach(System::clearProperty);
      throw e;
    }
  }

  <T> T bean(Class<T> type) {
    return container.select(type).get();
  }

  @Override
  public void close() {
    container.close();
    properties.keySet().forEach(System::clearProperty);
  }
}
