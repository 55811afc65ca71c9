package dev.redline.bench.local;

import io.github.bucket4j.local.SynchronizationStrategy;
import java.util.Arrays;
import java.util.List;

/** The limiters that are compared, in two groups by the result they return. */
enum LocalContender {
  FLOOR("floor", false),
  REDLINE_STORE("Redline store", false),
  BUCKET4J_LOCK_FREE("Bucket4j lock-free", false),
  BUCKET4J_SYNCHRONIZED("Bucket4j sync", false),
  RESILIENCE4J("Resilience4j", false),
  GUAVA("Guava", false),
  REDLINE_ALLOW("Redline allow", true),
  BUCKET4J_LOCK_FREE_PROBE("Bucket4j lock-free probe", true),
  BUCKET4J_SYNCHRONIZED_PROBE("Bucket4j sync probe", true);

  private final String title;
  private final boolean answers;

  LocalContender(String title, boolean answers) {
    this.title = title;
    this.answers = answers;
  }

  /** Returns those whose result is allowed or denied. */
  static List<LocalContender> deciding() {
    return Arrays.stream(values()).filter(contender -> !contender.answers).toList();
  }

  /** Returns those whose result also has the remaining tokens and the wait. */
  static List<LocalContender> answering() {
    return Arrays.stream(values()).filter(contender -> contender.answers).toList();
  }

  /** Returns a limiter with a bucket for every key, each used once. */
  KeyPopulation populate(Keys keys, Mix mix) {
    return switch (this) {
      case FLOOR -> new Floor(keys, mix);
      case REDLINE_STORE -> new RedlineStore(keys, mix);
      case REDLINE_ALLOW -> new RedlineAllow(keys, mix);
      case BUCKET4J_LOCK_FREE, BUCKET4J_LOCK_FREE_PROBE ->
          new Bucket4j(keys, mix, SynchronizationStrategy.LOCK_FREE, answers);
      case BUCKET4J_SYNCHRONIZED, BUCKET4J_SYNCHRONIZED_PROBE ->
          new Bucket4j(keys, mix, SynchronizationStrategy.SYNCHRONIZED, answers);
      case RESILIENCE4J -> new Resilience4j(keys, mix);
      case GUAVA -> new Guava(keys, mix);
    };
  }

  /** Returns the name in tables. */
  String title() {
    return title;
  }
}
