package dev.redline.quarkus;

import io.quarkus.arc.Arc;
import io.quarkus.runtime.annotations.Recorder;
import java.util.ArrayList;
import java.util.List;

/** What the build has an application do when it starts. */
@Recorder
public class RedlineRecorder {
  /**
   * Creates the engine, and checks the limits of all beans against its rules.
   *
   * @param limitedClasses the names of the classes of beans that have limits
   * @param interceptorOrder the order of the interceptor, which is fixed
   */
  public void start(List<String> limitedClasses, int interceptorOrder) {
    ClassLoader loader = Thread.currentThread().getContextClassLoader();
    List<Class<?>> classes = new ArrayList<>();
    for (String name : limitedClasses) {
      try {
        classes.add(Class.forName(name, false, loader));
      } catch (ClassNotFoundException e) {
        throw new IllegalStateException("the class " + name + " was removed since the build", e);
      }
    }
    Arc.container().instance(MethodLimiting.class).get().check(classes, interceptorOrder);
    Arc.container().instance(LiveKillSwitch.class).get().start();
  }
}
