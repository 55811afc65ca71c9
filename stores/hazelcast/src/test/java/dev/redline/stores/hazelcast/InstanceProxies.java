package dev.redline.stores.hazelcast;

import com.hazelcast.core.HazelcastInstance;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.concurrent.CountDownLatch;

/** Instances of Hazelcast with something that a test does in between. */
final class InstanceProxies {
  private InstanceProxies() {}

  /** Returns the instance, with an action before it returns a map. */
  static HazelcastInstance beforeGetMap(HazelcastInstance instance, String map, Runnable action) {
    return (HazelcastInstance)
        Proxy.newProxyInstance(
            InstanceProxies.class.getClassLoader(),
            new Class<?>[] {HazelcastInstance.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("getMap") && map.equals(arguments[0])) {
                action.run();
              }
              try {
                return method.invoke(instance, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  /** Waits, also if the store interrupts the thread because it is closed. */
  static void awaitUninterruptibly(CountDownLatch latch) {
    boolean interrupted = false;
    while (latch.getCount() > 0) {
      try {
        latch.await();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
