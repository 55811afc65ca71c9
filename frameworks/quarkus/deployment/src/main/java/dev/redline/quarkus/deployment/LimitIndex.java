package dev.redline.quarkus.deployment;

import dev.redline.core.RateLimit;
import java.lang.reflect.Modifier;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.DotName;
import org.jboss.jandex.IndexView;
import org.jboss.jandex.MethodInfo;

/**
 * Where limits stand among the classes of an application, also by way of other annotations. It only
 * chooses what to intercept; the plan of a method decides what limits it.
 */
final class LimitIndex {
  private final IndexView index;
  private final Map<DotName, Boolean> limiting = new HashMap<>();
  private final Map<DotName, Boolean> bound = new HashMap<>();

  /**
   * Creates it.
   *
   * @param index also reads classes on demand that are not in the index of the application: limits
   *     may stand on interfaces, superclasses and annotations of any library
   */
  LimitIndex(IndexView index) {
    this.index = index;
    limiting.put(DotName.createSimple(RateLimit.class), true);
    limiting.put(DotName.createSimple(RateLimit.List.class), true);
  }

  /** Returns whether an annotation limits, itself or by one that it has. */
  private boolean limits(DotName annotation) {
    Boolean known = limiting.get(annotation);
    if (known != null) {
      return known;
    }
    // Annotations may have each other.
    limiting.put(annotation, false);
    ClassInfo type = isOfPlatform(annotation) ? null : index.getClassByName(annotation);
    boolean found =
        type != null && type.declaredAnnotations().stream().anyMatch(each -> limits(each.name()));
    limiting.put(annotation, found);
    return found;
  }

  private static boolean isOfPlatform(DotName type) {
    return type.toString().startsWith("java.");
  }

  /**
   * Returns whether a method has limits of its own and can be intercepted; the check of the plans
   * reports one that cannot.
   */
  boolean isLimited(MethodInfo method) {
    return !Modifier.isPrivate(method.flags())
        && !Modifier.isStatic(method.flags())
        && method.declaredAnnotations().stream().anyMatch(each -> limits(each.name()));
  }

  /** Returns whether a class, or a class or interface it inherits from, has limits somewhere. */
  boolean mayHaveLimits(ClassInfo type) {
    return hierarchy(type).stream().anyMatch(this::mentionsLimits);
  }

  private boolean mentionsLimits(ClassInfo type) {
    return type.annotationsMap().keySet().stream().anyMatch(this::limits);
  }

  /**
   * Returns whether all methods of a class are intercepted: limits stand on the class, or on what
   * it inherits from, so that its methods may have them without an annotation of their own.
   */
  boolean isBoundAsAWhole(ClassInfo type) {
    return !type.isAnnotation()
        && !type.isInterface()
        && bound.computeIfAbsent(type.name(), absent -> inheritsLimits(type));
  }

  private boolean inheritsLimits(ClassInfo type) {
    return type.declaredAnnotations().stream().anyMatch(each -> limits(each.name()))
        || hierarchy(type).stream()
            .filter(each -> !each.name().equals(type.name()))
            .anyMatch(this::mentionsLimits);
  }

  /**
   * Returns the names of classes with limits of their own, of which and of whose subclasses no bean
   * is made.
   *
   * @param classes those of the application
   * @param beans the classes of its beans
   */
  List<String> outOfReach(Collection<ClassInfo> classes, Collection<ClassInfo> beans) {
    Set<DotName> reached = new HashSet<>();
    for (ClassInfo bean : beans) {
      hierarchy(bean).forEach(each -> reached.add(each.name()));
    }
    return classes.stream()
        .filter(each -> !Modifier.isAbstract(each.flags()))
        .filter(this::mentionsLimits)
        .map(ClassInfo::name)
        .filter(name -> !reached.contains(name))
        .map(DotName::toString)
        .sorted()
        .toList();
  }

  /** Returns where limits stand on a class, for readers. */
  List<String> locations(String className) {
    ClassInfo type = index.getClassByName(className);
    List<String> found = new ArrayList<>();
    if (type != null) {
      if (isBoundAsAWhole(type)) {
        found.add(className);
      }
      type.methods().stream()
          .filter(this::isLimited)
          .forEach(method -> found.add(className + "." + method.name()));
    }
    return found;
  }

  private Collection<ClassInfo> hierarchy(ClassInfo type) {
    Map<DotName, ClassInfo> found = new HashMap<>();
    Deque<DotName> pending = new ArrayDeque<>(Set.of(type.name()));
    Set<DotName> seen = new HashSet<>();
    while (!pending.isEmpty()) {
      DotName name = pending.pop();
      ClassInfo each = seen.add(name) && !isOfPlatform(name) ? index.getClassByName(name) : null;
      if (each != null) {
        found.put(name, each);
        pending.addAll(each.interfaceNames());
        DotName parent = each.superName();
        if (parent != null) {
          pending.add(parent);
        }
      }
    }
    return found.values();
  }
}
