package dev.redline.core.internal.limit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.core.internal.limit.Bands.Step;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.limit.RateLimitBand.Algorithm;
import java.util.List;
import java.util.stream.LongStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Tag;
import net.jqwik.api.domains.Domain;

@Tag("properties")
@Domain(Bands.class)
class ArithmeticPropertyTest {
  private static final long START = 1_763_230_000_812_345L;

  @Property(tries = 2000)
  void agreesWithExactFractionsOnEveryTrace(@ForAll RateLimitBand band, @ForAll List<Step> steps) {
    Trace trace = new Trace(band, START);
    ExactBand exact = ExactBand.of(band);
    long cost = 1;
    for (Step step : steps) {
      trace.move(step, cost);
      trace.look();
      exact.meet(trace.now);
      cost = trace.cost(step);
      assertThat(ExactBand.big(trace.remaining()))
          .as("remaining")
          .isEqualTo(exact.remaining(trace.now));
      assertThat(trace.arithmetic.waitMicros(trace.view, 0, cost))
          .as("wait for %s", cost)
          .isEqualTo(exact.waitFor(trace.now, cost));
      assertThat(trace.arithmetic.resetMicros(trace.view, 0))
          .as("reset")
          .isEqualTo(exact.reset(trace.now));
      assertThat(trace.arithmetic.isFresh(trace.view, 0))
          .as("fresh")
          .isEqualTo(exact.isFresh(trace.now));
      boolean admitted = exact.admits(trace.now, cost);
      assertThat(trace.acquire(cost)).as("verdict on %s", cost).isEqualTo(admitted);
      if (admitted) {
        exact.take(trace.now, cost);
      }
    }
  }

  @Property(tries = 2000)
  void retreatingAfterAdvancingLeadsBack(@ForAll RateLimitBand band, @ForAll List<Step> steps) {
    Trace trace = new Trace(band, START);
    long cost = 1;
    for (Step step : steps) {
      trace.move(step, cost);
      trace.look();
      cost = trace.cost(step);
      if (trace.arithmetic.admits(trace.view, 0, cost)) {
        long[] view = trace.view.clone();
        trace.arithmetic.advance(view, 0, cost);
        trace.arithmetic.retreat(view, 0, cost);
        assertThat(view).isEqualTo(trace.view);
      }
      trace.acquire(cost);
    }
  }

  @Property(tries = 2000)
  void waitingExactlyTheAdvertisedTimeGetsInAndOneMicrosecondLessDoesNot(
      @ForAll RateLimitBand band, @ForAll List<Step> steps) {
    Trace trace = new Trace(band, START);
    long cost = 1;
    for (Step step : steps) {
      trace.move(step, cost);
      trace.look();
      cost = trace.cost(step);
      if (!trace.acquire(cost)) {
        long wait = trace.arithmetic.waitMicros(trace.view, 0, cost);
        assertThat(wait).isPositive();
        assertThat(trace.wouldAdmit(trace.now + wait, cost)).as("at the wait").isTrue();
        assertThat(trace.wouldAdmit(trace.now + wait - 1, cost)).as("just before").isFalse();
      }
    }
  }

  @Property(tries = 2000)
  void noNumberIsEverNegativeOrBeyondItsBound(
      @ForAll RateLimitBand band, @ForAll List<Step> steps) {
    Trace trace = new Trace(band, START);
    BandArithmetic arithmetic = trace.arithmetic;
    long longest = arithmetic.horizonMicros() + 2 * band.periodMicros();
    long cost = 1;
    for (Step step : steps) {
      trace.move(step, cost);
      trace.look();
      cost = trace.cost(step);
      trace.acquire(cost);
      trace.look();
      assertThat(trace.remaining()).isBetween(0L, band.capacity());
      assertThat(arithmetic.waitMicros(trace.view, 0, cost)).isBetween(0L, longest);
      assertThat(arithmetic.resetMicros(trace.view, 0)).isBetween(0L, longest);
      assertThat(arithmetic.nextMicros(trace.view, 0)).isBetween(0L, longest);
      assertThat(arithmetic.lifetimeMicros(trace.view, 0)).isBetween(0L, longest);
      assertThat(LongStream.of(trace.view)).allMatch(word -> word >= 0);
    }
  }

  @Property
  void aViewThatAdvancesIsTheViewOfTheStateThatFollows(
      @ForAll RateLimitBand band, @ForAll List<Step> steps) {
    Trace trace = new Trace(band, START);
    long cost = 1;
    for (Step step : steps) {
      trace.move(step, cost);
      trace.look();
      cost = trace.cost(step);
      if (trace.acquire(cost)) {
        long[] advanced = trace.view.clone();
        trace.arithmetic.advance(advanced, 0, cost);
        trace.look();
        assertThat(trace.view).isEqualTo(advanced);
      }
    }
  }

  @Property
  void anEmptiedBandIsFullAfterItsHorizonAndNotBeforeAndASlidingWindowLater(
      @ForAll RateLimitBand band) {
    Trace trace = new Trace(band, START - START % band.periodMicros());
    assertThat(trace.acquire(band.capacity())).isTrue();
    long horizon = trace.arithmetic.horizonMicros();
    trace.now += horizon - 1;
    trace.look();
    assertThat(trace.arithmetic.isFresh(trace.view, 0)).isFalse();
    trace.now += 1;
    trace.look();
    assertThat(trace.arithmetic.isFresh(trace.view, 0))
        .isEqualTo(band.algorithm() != Algorithm.SLIDING_WINDOW);
  }

  @Property
  void aClockThatStepsBackNeverMakesACallerWaitLongerThanTheHorizon(
      @ForAll RateLimitBand band, @ForAll List<Step> steps) {
    Trace trace = new Trace(band, START);
    long cost = 1;
    for (Step step : steps) {
      trace.move(step, cost);
      cost = trace.cost(step);
      trace.acquire(cost);
    }
    trace.now -= 400L * 86_400 * 1_000_000;
    trace.look();
    long wait = trace.arithmetic.waitMicros(trace.view, 0, band.capacity());
    assertThat(wait).isLessThanOrEqualTo(trace.arithmetic.horizonMicros() + band.periodMicros());
    trace.now += wait;
    assertThat(trace.acquire(band.capacity())).isTrue();
  }

  @Property
  void aMergedViewNeverOffersMoreThanEitherOfThem(
      @ForAll RateLimitBand band, @ForAll List<Step> left, @ForAll List<Step> right) {
    Trace one = run(band, left);
    Trace two = run(band, right);
    long moment = Math.max(one.now, two.now);
    one.now = moment;
    two.now = moment;
    one.look();
    two.look();
    Trace merged = new Trace(band, moment);
    merged.arithmetic.merge(merged.view, 0, one.view, 0);
    merged.arithmetic.merge(merged.view, 0, two.view, 0);
    merged.arithmetic.take(merged.state, 0, moment, merged.view, 0, 0);
    for (Step step : left) {
      assertThat(merged.remaining())
          .isLessThanOrEqualTo(Math.min(one.remaining(), two.remaining()));
      long by = (long) (step.far() * merged.arithmetic.horizonMicros() / 4);
      one.now += by;
      two.now += by;
      merged.now += by;
      one.look();
      two.look();
      merged.look();
    }
  }

  private static Trace run(RateLimitBand band, List<Step> steps) {
    Trace trace = new Trace(band, START);
    long cost = 1;
    for (Step step : steps) {
      trace.move(step, cost);
      cost = trace.cost(step);
      trace.acquire(cost);
    }
    return trace;
  }
}
