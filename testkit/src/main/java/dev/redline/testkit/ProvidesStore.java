package dev.redline.testkit;

/** Where the parts of the store contract get the store from. */
public interface ProvidesStore {
  /**
   * Returns a new store to be tested, or a fresh view of a shared one: the contract never uses a
   * key twice. Called once or more per test; the contract closes what it gets.
   */
  StoreUnderTest newStore();
}
