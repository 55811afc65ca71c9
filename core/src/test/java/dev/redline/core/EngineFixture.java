package dev.redline.core;

import dev.redline.core.RateLimitResult.BandStatus;
import dev.redline.core.key.RequestContext;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.memory.LocalStore;
import dev.redline.core.rule.RateLimitPlan;
import dev.redline.core.rule.RateLimitRule;
import dev.redline.core.rule.RuleBook;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** An engine on an in-memory store whose clock stands still until a test moves it. */
public final class EngineFixture {
  /** When the clock starts, in microseconds: the start of an hour. */
  public static final long START = 1_763_229_600_000_000L;

  private final AtomicLong now = new AtomicLong(START);
  private final LocalStore store = new LocalStore(1000, now::get);
  private final RateLimitEngine engine;

  private EngineFixture(RuleBook book, EngineSettings settings) {
    this.engine =
        RateLimitEngine.builder(store).book(book).settings(settings).reportBands(true).build();
  }

  /** Returns an engine with the given rules. */
  public static EngineFixture of(RateLimitRule.Builder... rules) {
    return of(book(rules));
  }

  /** Returns an engine with a rule book. */
  public static EngineFixture of(RuleBook book) {
    return new EngineFixture(book, EngineSettings.DEFAULT);
  }

  /** Returns an engine with a rule book and settings. */
  public static EngineFixture of(RuleBook book, EngineSettings settings) {
    return new EngineFixture(book, settings);
  }

  /** Returns a book of rules. */
  public static RuleBook book(RateLimitRule.Builder... rules) {
    return RuleBook.builder()
        .rules(List.of(rules).stream().map(RateLimitRule.Builder::build).toList())
        .build();
  }

  /** Returns a book of plans alone. */
  public static RuleBook plans(RateLimitPlan... plans) {
    return RuleBook.builder().plans(List.of(plans)).build();
  }

  /** Returns a rule that admits so many an hour. */
  public static RateLimitRule.Builder rule(String id, long perHour) {
    return RateLimitRule.builder().id(id).addBand(perHour(perHour));
  }

  /** Returns an unlabelled token bucket that refills once an hour. */
  public static RateLimitBand perHour(long capacity) {
    return RateLimitBand.of(capacity, capacity, Duration.ofHours(1));
  }

  /** Returns a request to a path. */
  public static RequestContext request(String path) {
    return RequestContext.builder().path(path).method("GET").build();
  }

  /** Returns the engine. */
  public RateLimitEngine engine() {
    return engine;
  }

  /** Moves the clock. */
  public void advance(Duration time) {
    now.addAndGet(time.toNanos() / 1000);
  }

  /** Decides a GET request to a path. */
  public RateLimitResult check(String path) {
    return engine.check(request(path));
  }

  /** Decides a request. */
  public RateLimitResult check(RequestContext request) {
    return engine.check(request);
  }

  /** Explains a check. */
  public Explanation explain(LimitCheck check) {
    return engine.explain(check).toCompletableFuture().join();
  }

  /** Returns what is left of each band of a rule or plan, by the explanation of a check. */
  public List<Long> left(String id, LimitCheck check) {
    return explain(check).rules().stream()
        .filter(entry -> entry.id().equals(id))
        .flatMap(entry -> entry.bands().stream())
        .map(BandStatus::remaining)
        .toList();
  }

  /** Returns what is left of each band of a rule for a request. */
  public List<Long> left(String id, RequestContext request) {
    return left(id, LimitCheck.ofRequest(request));
  }
}
