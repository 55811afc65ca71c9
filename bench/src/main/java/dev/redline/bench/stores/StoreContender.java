package dev.redline.bench.stores;

import java.util.function.IntPredicate;

/**
 * Something that decides.
 *
 * @param name its name in the table
 * @param acquire acquires one token from the bucket with a number, and waits for the decision
 */
record StoreContender(String name, IntPredicate acquire) {}
