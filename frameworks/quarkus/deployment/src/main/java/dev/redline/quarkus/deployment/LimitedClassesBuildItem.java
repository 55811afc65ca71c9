package dev.redline.quarkus.deployment;

import io.quarkus.builder.item.SimpleBuildItem;
import java.util.List;

/** The names of the classes of beans that have limits. */
public final class LimitedClassesBuildItem extends SimpleBuildItem {
  private final List<String> names;

  LimitedClassesBuildItem(List<String> names) {
    this.names = List.copyOf(names);
  }

  /** Returns the names, sorted. */
  public List<String> names() {
    return names;
  }
}
