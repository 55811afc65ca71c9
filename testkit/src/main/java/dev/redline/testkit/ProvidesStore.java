package dev.redline.testkit;

/** Supplies the store to the parts of the store contract. */
public interface ProvidesStore {
  /**
   * Returns a new store, or a new client of a shared one: the contract never uses a key twice.
   * Called once or more per test; the contract closes each store.
   */
  StoreUnderTest newStore();
}
