package dev.redline.testkit;

/**
 * The contract every {@link dev.redline.core.store.StorageProvider} must pass, as JUnit tests.
 *
 * <p>Implement it in a test class and create the store; JUnit finds the tests:
 *
 * <pre>{@code
 * class MyStoreTest implements StorageProviderContract {
 *   public StoreUnderTest newStore() {
 *     ManualClock clock = new ManualClock();
 *     return StoreUnderTest.onManualClock(new MyStore(clock), clock);
 *   }
 * }
 * }</pre>
 *
 * <p>The {@link ReferenceModel} repeats every decision at the time that the store reports, and must
 * agree in decision, remaining, wait and reset. A store with its own clock runs the same tests:
 * they then wait for short times, and skip only what needs a clock that steps back.
 */
public interface StorageProviderContract
    extends TokenBucketContract,
        WindowContract,
        AcquisitionContract,
        KeyContract,
        AtomicityContract,
        ForgettingContract,
        CarryOverContract,
        TraceContract {}
