package dev.redline.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.store.RateLimitKey;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The part of the store contract about keys: which ones share a bucket, and which do not. */
public interface KeyContract extends ProvidesStore {
  /** Two identities never share a bucket, whatever characters they contain. */
  @Test
  default void oddIdentitiesDoNotCollide() {
    List<String> odd =
        List.of(
            "",
            " ",
            "  ",
            "a",
            "A",
            "a:b",
            "a::b",
            "a:b:",
            "{a}",
            "{a}b",
            "a}{b",
            "%61",
            "a\nb",
            "a\r\nb",
            "a\0b",
            "\0",
            "é",
            "e\u0301",
            "😀",
            "\ud83d",
            "\ud83e",
            "*",
            "[a]",
            "?",
            "\"",
            "'",
            "\\",
            "a b",
            "a\tb",
            "null",
            "Aa",
            "BB",
            "x".repeat(4096),
            "x".repeat(4097));
    try (CheckedStore store = new CheckedStore(this)) {
      for (String identity : odd) {
        assertThat(
                store
                    .acquire(store.key(CheckedStore.rule("r", CheckedStore.slow(1)), identity), 1)
                    .allowed())
            .as("identity <%s>", identity)
            .isTrue();
      }
    }
  }

  /** Rules do not share buckets with other rules, nor with a plan of the same name. */
  @Test
  default void everyOwnerHasItsOwnBuckets() {
    try (CheckedStore store = new CheckedStore(this)) {
      RateLimitKey rule = store.key(CheckedStore.rule("same", CheckedStore.slow(3)), "k");
      RateLimitKey other = store.key(CheckedStore.rule("other", CheckedStore.slow(3)), "k");
      RateLimitKey plan = store.key(CheckedStore.plan("same", CheckedStore.slow(3)), "k");
      assertThat(store.drain(rule)).isEqualTo(3);
      assertThat(store.drain(other)).isEqualTo(3);
      assertThat(store.drain(plan)).isEqualTo(3);
    }
  }

  /** Changed limits start a new bucket; changed labels do not. */
  @Test
  default void changedLimitsStartANewBucketAndChangedLabelsDoNot() {
    try (CheckedStore store = new CheckedStore(this)) {
      RateLimitBand band = CheckedStore.slow(3);
      assertThat(store.drain(store.key(CheckedStore.rule("r", band), "k"))).isEqualTo(3);
      assertThat(store.drain(store.key(CheckedStore.rule("r", band.withLabel("new")), "k")))
          .isZero();
      assertThat(store.drain(store.key(CheckedStore.rule("r", CheckedStore.slow(4)), "k")))
          .isEqualTo(4);
      RateLimitBand slower = RateLimitBand.of(3, 1, Duration.ofDays(366));
      assertThat(store.drain(store.key(CheckedStore.rule("r", slower), "k"))).isEqualTo(3);
      RateLimitBand window = RateLimitBand.fixedWindow(3, Duration.ofDays(365));
      assertThat(store.drain(store.key(CheckedStore.rule("r", window), "k"))).isEqualTo(3);
    }
  }

  /** Equal key objects name the same bucket. */
  @Test
  default void equalKeysNameTheSameBucket() {
    try (CheckedStore store = new CheckedStore(this)) {
      assertThat(store.drain(store.key(CheckedStore.slow(3)))).isEqualTo(3);
      assertThat(store.drain(store.key(CheckedStore.slow(3)))).isZero();
    }
  }
}
