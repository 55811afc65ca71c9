package dev.redline.resilience;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.redline.core.store.Outcome;
import dev.redline.core.store.StoreException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** When breakers open, and what they log. */
class CircuitBreakingStoreTest extends BreakerFixture {
  @Test
  void staysClosedWhileNodeReplies() {
    CircuitBreakingStore store = store();
    answerCalls("a", 100);
    failCalls("a", 4);
    answerCalls("a", 1);
    assertThat(fails(store, "a")).isFalse();
    assertThat(store.state()).isEqualTo(BreakerState.CLOSED);
  }

  @Test
  void opensAfterConsecutiveFailuresDespiteEarlierSuccesses() {
    CircuitBreakingStore store = store();
    answerCalls("a", 10_000);
    failCalls("a", 5);
    assertThat(store.state()).isEqualTo(BreakerState.OPEN);
    assertThat(fails(store, "a")).isTrue();
    assertThat(nodes.acquired).isZero();
  }

  @Test
  void opensAtFailureRateOnceThereAreEnoughCalls() {
    CircuitBreakingStore store = store("failures-in-a-row", "1000", "minimum-calls", "20");
    for (int i = 0; i < 9; i++) {
      failCalls("a", 1);
      answerCalls("a", 1);
    }
    failCalls("a", 1);
    assertThat(store.state()).isEqualTo(BreakerState.CLOSED);
    failCalls("a", 1);
    assertThat(store.state()).isEqualTo(BreakerState.OPEN);
  }

  @Test
  void opensWhenAllCallsAreSlow() {
    CircuitBreakingStore store = store("minimum-calls", "20");
    for (int i = 0; i < 20; i++) {
      nodes.observer.answered("a", Duration.ofMillis(45).toNanos());
    }
    assertThat(store.state()).isEqualTo(BreakerState.OPEN);
  }

  @Test
  void failingNodeDoesNotAffectOtherNodes() {
    CircuitBreakingStore store = store();
    failCalls("a", 5);
    assertThat(fails(store, "b")).isFalse();
    assertThat(fails(store, "a", "b")).isTrue();
    assertThat(fails(store, "b", "a")).isTrue();
    assertThat(nodes.acquired).isEqualTo(1);
  }

  @Test
  void usesDenyCacheUnlessNodeOfKeyFails() {
    CircuitBreakingStore store = store("open-duration", "1h");
    nodes.remember = true;
    assertThat(store.acquireNow(at("a"), new Outcome())).isTrue();
    failCalls("a", 5);
    assertThat(store.acquireNow(at("a"), new Outcome())).isFalse();
    assertThat(store.acquireNow(at("b", "a"), new Outcome())).isFalse();
    assertThat(store.acquireNow(at("b"), new Outcome())).isTrue();
  }

  @Test
  void doesNotLookUpNodesWhileAllBreakersAreClosed() {
    CircuitBreakingStore store = store();
    answerCalls("a", 1);
    nodes.remember = true;
    assertThat(store.acquireNow(at("a"), new Outcome())).isTrue();
    assertThat(fails(store, "a")).isFalse();
    assertThat(store.acquireAndWait(at("a"))).isNotNull();
    assertThat(nodes.nodeLookups).isZero();
  }

  @Test
  void logsOutageOnceInStoreOrBreaker() {
    CircuitBreakingStore store = unhurriedStore(1);
    assertThat(fails(store, "a")).isFalse();
    nodes.observer.answered("a", 1);
    assertThat(nodes.observer.away()).as("logged by the breaker").isFalse();
    failCalls("a", 5);
    nodes.observer.recovered();
    assertThat(fails(store, "a")).isFalse();
    assertThat(store.state()).isEqualTo(BreakerState.CLOSED);
    assertThat(log).isEmpty();

    failCalls("a", 5);
    assertThat(nodes.observer.away()).as("logged by the breaker").isTrue();
    nodes.observer.recovered();
    assertThat(fails(store, "a")).isFalse();
    assertThat(log).hasSize(2);
  }

  @Test
  void namesLastFailureUntilBreakerCloses() {
    CircuitBreakingStore store = unhurriedStore(1);
    failCalls("a", 4);
    assertThat(store.lastFailure()).isEmpty();
    failCalls("a", 1);
    assertThat(store.lastFailure()).hasValue("on purpose");
    nodes.observer.recovered();
    assertThat(store.lastFailure()).hasValue("on purpose");
    assertThat(fails(store, "a")).isFalse();
    assertThat(store.lastFailure()).isEmpty();
  }

  @Test
  void malformedValueIsNotNodeFailure() {
    CircuitBreakingStore store = unhurriedStore(1);
    failCalls("a", 5);
    nodes.observer.recovered();
    nodes.hold = true;
    CompletableFuture<Outcome> probe = store.acquire(at("a")).toCompletableFuture();
    answerCalls("a", 1);
    nodes
        .held
        .get(0)
        .completeExceptionally(new StoreException(StoreException.Kind.BAD_STATE, "poisoned"));
    assertThat(probe).isCompletedExceptionally();
    assertThat(store.state()).isEqualTo(BreakerState.CLOSED);
  }

  @Test
  void boundsNumberOfBreakers() {
    CircuitBreakingStore store = store();
    for (int i = 0; i < 1000; i++) {
      answerCalls("node-" + i, 1);
    }
    failCalls("node-0", 5);
    for (int i = 0; i < 1000; i++) {
      answerCalls("later-" + i, 1);
    }
    assertThat(store.state()).as("the one that is open is kept").isEqualTo(BreakerState.OPEN);
  }

  @Test
  void forgetsOpenNodeThatLeftTheCluster() {
    CircuitBreakingStore store = store("open-duration", "100ms");
    failCalls("left", 5);
    assertThat(store.state()).isEqualTo(BreakerState.OPEN);
    await()
        .atMost(Duration.ofSeconds(20))
        .until(() -> !fails(store, "successor") && store.state() == BreakerState.CLOSED);
    assertThat(log).last().asString().contains("left").contains("needed");
  }

  @Test
  void neededNodeStaysOpenWhileItFails() {
    CircuitBreakingStore store = store("open-duration", "100ms");
    nodes.failing.add("needed");
    failCalls("needed", 5);
    await()
        .during(Duration.ofSeconds(2))
        .atMost(Duration.ofSeconds(20))
        .until(
            () ->
                fails(store, "needed")
                    && !fails(store, "other")
                    && store.state() != BreakerState.CLOSED);
  }
}
