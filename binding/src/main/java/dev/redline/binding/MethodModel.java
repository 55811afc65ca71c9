package dev.redline.binding;

import java.lang.reflect.Type;
import java.util.List;

/**
 * What is known of a limited method: by reflection, or from an index of classes at build time.
 *
 * @param className the simple name of the class that is called
 * @param name the name of the method
 * @param location class and method for messages: {@code com.example.Orders.pay(Order)}
 * @param parameterNames the names of the parameters; empty if the class file has none
 * @param parameterTypes the types of the parameters; where only a name is known, {@code
 *     Object.class}
 */
public record MethodModel(
    String className,
    String name,
    String location,
    List<String> parameterNames,
    List<Type> parameterTypes) {
  /** Copies the lists. */
  public MethodModel {
    parameterNames = List.copyOf(parameterNames);
    parameterTypes = List.copyOf(parameterTypes);
  }

  /**
   * Returns the position of a parameter.
   *
   * @return its position, or -1 if there is none of that name
   */
  public int parameter(String parameterName) {
    return parameterNames.indexOf(parameterName);
  }

  /** Returns whether the names of the parameters are known. */
  public boolean hasParameterNames() {
    return parameterTypes.isEmpty() || !parameterNames.isEmpty();
  }
}
