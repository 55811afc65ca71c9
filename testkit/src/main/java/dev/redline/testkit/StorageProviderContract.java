package dev.redline.testkit;

/**
 * The contract every {@link dev.redline.core.store.StorageProvider} must pass, as JUnit tests.
 *
 * <p>Implement it in a test class and say how to make the store; JUnit finds the tests:
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
 * <p>Every decision the contract asks for is also decided by the {@link ReferenceModel}, at the
 * moment the store says it decided, and must agree in verdict, remaining, wait and reset. A store
 * whose clock cannot be moved takes the same tests: the contract then waits for short whiles, and
 * leaves out only what needs the clock to step back.
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
