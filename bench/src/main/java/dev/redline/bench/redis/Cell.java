package dev.redline.bench.redis;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** One measurement: its buckets and its kind of load. */
enum Cell {
  KEYS_64("10k keys, 64 outstanding", Load.ASYNC, 10_000, 64),
  KEYS_256("10k keys, 256 outstanding", Load.ASYNC, 10_000, 256),
  BANDS_64("10k keys of 3 bands, 64 outstanding", Load.ASYNC, 10_000, 64),
  BANDS_256("10k keys of 3 bands, 256 outstanding", Load.ASYNC, 10_000, 256),
  HOT_64("one hot key, 64 outstanding", Load.ASYNC, 1, 64),
  HOT_256("one hot key, 256 outstanding", Load.ASYNC, 1, 256),
  CLIENTS("one hot key, 16 clients of 64 outstanding", Load.CLIENTS, 1, 64),
  BLOCKING("10k keys, 64 blocking threads", Load.BLOCKING, 10_000, 64),
  IDLE("10k keys, one caller at a time", Load.IDLE, 10_000, 1),
  OPEN_20("10k keys, open loop at 20 % of peak", Load.OPEN, 10_000, 0),
  OPEN_40("10k keys, open loop at 40 % of peak", Load.OPEN, 10_000, 0),
  OPEN_60("10k keys, open loop at 60 % of peak", Load.OPEN, 10_000, 0),
  OPEN_80("10k keys, open loop at 80 % of peak", Load.OPEN, 10_000, 0),
  LEASED_HOT("leases: checks of one hot key, 64 outstanding", Load.LEASED, 1, 64),
  LEASED_ZIPF("leases: checks of 1k keys by Zipf, 256 outstanding", Load.LEASED, 1 << 16, 256),
  DENIED("10k denied keys, 256 outstanding", Load.ASYNC, 10_000, 256),
  CLUSTER_64("3 masters, 10k keys, 64 outstanding", Load.ASYNC, 10_000, 64),
  CLUSTER_256("3 masters, 10k keys, 256 outstanding", Load.ASYNC, 10_000, 256);

  /** The kinds of load. */
  enum Load {
    /** Closed loop: a fixed number of calls is outstanding; a completed call starts the next. */
    ASYNC,
    /** Likewise, from several clients with a connection each. */
    CLIENTS,
    /** A fixed number of threads call and wait. */
    BLOCKING,
    /** One thread calls and waits; the latency is measured. */
    IDLE,
    /** Open loop: calls start at fixed times; the latency counts from these times. */
    OPEN,
    /** Closed loop of whole checks with leases, by threads like those of a server. */
    LEASED
  }

  private static final Set<Cell> CLUSTERED = EnumSet.of(CLUSTER_64, CLUSTER_256);
  private static final Set<Cell> BANDED = EnumSet.of(BANDS_64, BANDS_256);
  private static final Set<Cell> ALONE =
      EnumSet.of(BANDS_64, BANDS_256, CLIENTS, LEASED_HOT, LEASED_ZIPF);

  private final String title;
  private final Load load;
  private final int keys;
  private final int outstanding;

  Cell(String title, Load load, int keys, int outstanding) {
    this.title = title;
    this.load = load;
    this.keys = keys;
    this.outstanding = outstanding;
  }

  String title() {
    return title;
  }

  Load load() {
    return load;
  }

  int outstanding() {
    return outstanding;
  }

  /** Returns the part of the peak that an open loop demands; 0 for other loads. */
  double partOfPeak() {
    return switch (this) {
      case OPEN_20 -> 0.2;
      case OPEN_40 -> 0.4;
      case OPEN_60 -> 0.6;
      case OPEN_80 -> 0.8;
      default -> 0;
    };
  }

  /** Returns the cell whose plain calls this one is compared with. */
  Cell base() {
    return switch (this) {
      case BANDS_64 -> KEYS_64;
      case BANDS_256, LEASED_ZIPF -> KEYS_256;
      case CLIENTS, LEASED_HOT -> HOT_64;
      default -> this;
    };
  }

  boolean cluster() {
    return CLUSTERED.contains(this);
  }

  BucketPopulation population() {
    return new BucketPopulation(
        cluster(),
        keys,
        BANDED.contains(this) ? 3 : 1,
        this == DENIED ? BucketPopulation.Mix.DENY : BucketPopulation.Mix.ALLOW);
  }

  /** Returns the contenders; some cells compare Redline with a result of another cell. */
  List<RedisContender> contenders() {
    if (ALONE.contains(this)) {
      return List.of(RedisContender.REDLINE);
    }
    return cluster() || load == Load.OPEN
        ? List.of(RedisContender.FLOOR, RedisContender.REDLINE)
        : List.of(RedisContender.values());
  }
}
