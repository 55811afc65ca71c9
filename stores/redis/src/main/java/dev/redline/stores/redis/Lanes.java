package dev.redline.stores.redis;

import java.util.Arrays;
import java.util.function.Consumer;
import java.util.function.IntFunction;

/** The lanes of a store, one for each hash tag; there are none before the store is connected. */
final class Lanes {
  private volatile Lane[] all = {};

  /** Creates the lanes, before the first acquisition is submitted. */
  void open(int count, IntFunction<Lane> factory) {
    Lane[] opened = new Lane[count];
    Arrays.setAll(opened, factory);
    all = opened;
  }

  Lane get(int number) {
    return all[number];
  }

  void forEach(Consumer<Lane> action) {
    for (Lane lane : all) {
      action.accept(lane);
    }
  }
}
