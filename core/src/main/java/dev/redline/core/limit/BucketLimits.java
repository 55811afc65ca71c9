package dev.redline.core.limit;

import dev.redline.core.internal.digest.Sha256;
import dev.redline.core.internal.limit.BandArithmetic;
import dev.redline.core.internal.limit.BandShare;
import dev.redline.core.internal.limit.BucketArithmetic;
import dev.redline.core.internal.limit.ContinuousBucket;
import java.util.Base64;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The limits a bucket obeys, compiled: whose they are, the arithmetic of each band, and a
 * fingerprint. Equal owner and fingerprint mean the same buckets.
 *
 * <p>By itself the fingerprint covers all numbers, so other limits mean other buckets. {@link
 * #carriedOver Limits that carry over} are named by what their state means alone: buckets then
 * outlive a change of limits, and what was taken under the old ones counts under the new ones.
 * While old and new limits are both in use, what the larger ones took denies under the smaller
 * ones.
 */
public final class BucketLimits implements Comparable<BucketLimits> {
  /** Whose limits: a rule's or a plan's. */
  public enum OwnerKind {
    /** A rule's buckets are the rule's own. */
    RULE,
    /** A plan's buckets are shared by all callers that name plan and key. */
    PLAN
  }

  /** Takes limits of the same rule or plan for equal. */
  public static final Comparator<BucketLimits> BY_OWNER = BucketLimits::compareOwners;

  private final OwnerKind ownerKind;
  private final String ownerId;
  private final List<RateLimitBand> described;
  private final BandArithmetic first;
  private final int size;
  private final @Nullable ContinuousBucket packed;
  private final Compiled compiled;
  private final String fingerprint;
  private final boolean carriesOver;
  private final BucketArithmetic arithmetic;
  private final String firstLabel;
  private final int hash;

  /** Compiles the bands of a rule or plan; other limits are other buckets. */
  public BucketLimits(OwnerKind ownerKind, String ownerId, List<RateLimitBand> bands) {
    this(ownerKind, ownerId, bands, Compiled.of(bands, false));
  }

  private BucketLimits(
      OwnerKind ownerKind, String ownerId, List<RateLimitBand> bands, Compiled compiled) {
    if (bands.isEmpty()) {
      throw new IllegalArgumentException(ownerId + " has no bands");
    }
    this.ownerKind = ownerKind;
    this.ownerId = ownerId;
    this.described = List.copyOf(bands);
    this.compiled = compiled;
    this.first = compiled.bands[0];
    this.size = compiled.bands.length;
    this.packed = compiled.packed;
    this.fingerprint = compiled.fingerprint;
    this.carriesOver = compiled.carriesOver;
    this.arithmetic = compiled.arithmetic;
    this.firstLabel = bands.get(0).label().orElse(ownerId);
    this.hash =
        ((ownerKind == OwnerKind.RULE ? 1 : 2) * 31 + ownerId.hashCode()) * 31
            + fingerprint.hashCode();
  }

  /** Compiles the bands of a rule or plan whose buckets outlive a change of limits. */
  public static BucketLimits carriedOver(
      OwnerKind ownerKind, String ownerId, List<RateLimitBand> bands) {
    return new BucketLimits(ownerKind, ownerId, bands, Compiled.of(bands, true));
  }

  /**
   * Compiles the limits of many rules and plans. Limits with equal numbers share what is compiled
   * of them, so that decisions under thousands of rules read less memory. Used by one thread.
   */
  public static final class Compiler {
    private final boolean carryOver;
    private final Map<String, Compiled> byNumbers = new HashMap<>();

    /** Creates a compiler; {@code carryOver}: whether buckets outlive a change of limits. */
    public Compiler(boolean carryOver) {
      this.carryOver = carryOver;
    }

    /** Compiles the bands of a rule or plan. */
    public BucketLimits compile(OwnerKind ownerKind, String ownerId, List<RateLimitBand> bands) {
      Compiled compiled =
          byNumbers.computeIfAbsent(numbers(bands), text -> Compiled.of(bands, carryOver));
      return new BucketLimits(ownerKind, ownerId, bands, compiled);
    }
  }

  /** What limits have in common whose numbers are equal. */
  private static final class Compiled {
    private final BandArithmetic[] bands;
    private final BucketArithmetic arithmetic;
    private final @Nullable ContinuousBucket packed;
    private final boolean carriesOver;
    private final String numbers;
    private final String fingerprint;

    private Compiled(BandArithmetic[] bands, String numbers, boolean carriesOver) {
      this.bands = bands;
      this.arithmetic = new BucketArithmetic(bands);
      this.packed =
          bands.length == 1 && bands[0] instanceof ContinuousBucket single && single.fitsOneWord()
              ? single
              : null;
      this.carriesOver = carriesOver;
      this.numbers = digest(numbers);
      this.fingerprint = carriesOver ? digest(shape()) : this.numbers;
    }

    static Compiled of(List<RateLimitBand> bands, boolean carriesOver) {
      return new Compiled(
          bands.stream()
              .map(band -> BandArithmetic.of(band, carriesOver))
              .toArray(BandArithmetic[]::new),
          numbers(bands),
          carriesOver);
    }

    /**
     * Returns what two limits must have in common for the state of one to mean the same to both.
     */
    private String shape() {
      StringBuilder text = new StringBuilder(packed == null ? "wide;" : "packed;");
      for (BandArithmetic band : bands) {
        text.append(band.stateUnit()).append(';');
      }
      return text.toString();
    }
  }

  private static String numbers(List<RateLimitBand> bands) {
    StringBuilder text = new StringBuilder();
    for (RateLimitBand band : bands) {
      text.append(band.algorithm().name().charAt(0))
          .append(band.refill().name().charAt(0))
          .append(band.capacity())
          .append('/')
          .append(band.refillTokens())
          .append('/')
          .append(band.periodMicros())
          .append(';');
    }
    return text.toString();
  }

  private static String digest(String text) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(Sha256.of(text)).substring(0, 11);
  }

  /**
   * Returns a part of these limits, above 0 and up to 1: capacities and rates that much smaller, at
   * least one token each.
   */
  public BucketLimits share(double part) {
    List<RateLimitBand> parts = described.stream().map(band -> BandShare.of(band, part)).toList();
    return new BucketLimits(ownerKind, ownerId, parts, Compiled.of(parts, carriesOver));
  }

  /** Returns whether buckets outlive a change of limits, so that other limits may share them. */
  public boolean carriesOver() {
    return carriesOver;
  }

  /** Returns whether a rule or a plan owns the buckets. */
  public OwnerKind ownerKind() {
    return ownerKind;
  }

  /** Returns the id of the rule or plan. */
  public String ownerId() {
    return ownerId;
  }

  /** Returns the owner for people: {@code rule per-ip}, {@code plan gold}. */
  public String owner() {
    return (ownerKind == OwnerKind.RULE ? "rule " : "plan ") + ownerId;
  }

  /**
   * Returns eleven characters that, with the owner, name the buckets: they stand for the numbers of
   * all bands, or for their shape alone if buckets carry over. Labels do not count.
   */
  public String fingerprint() {
    return fingerprint;
  }

  /** Returns how many bands there are. */
  public int size() {
    return size;
  }

  /** Returns the arithmetic of band {@code i}. */
  public BandArithmetic band(int i) {
    return i == 0 ? first : compiled.bands[i];
  }

  /** Returns the arithmetic of all bands together. */
  public BucketArithmetic arithmetic() {
    return arithmetic;
  }

  /** Returns the only band if its state fits one word, else null. */
  public @Nullable ContinuousBucket packedOrNull() {
    return packed;
  }

  /** Returns the label of band {@code i}. */
  public String label(int i) {
    return i == 0 ? firstLabel : described.get(i).label().orElse(ownerId);
  }

  /** Returns whether the bands of equal limits have the same labels too. */
  public boolean hasLabelsOf(BucketLimits other) {
    for (int i = 0; i < size; i++) {
      if (!label(i).equals(other.label(i))) {
        return false;
      }
    }
    return true;
  }

  /** Returns how many words of state one bucket keeps for all bands. */
  public int stateWords() {
    return arithmetic.stateWords();
  }

  /** Returns whether the same buckets obey these limits and those. */
  @SuppressWarnings("ReferenceEquality") // the quick way, which nearly every comparison takes
  public boolean hasBucketsOf(BucketLimits other) {
    return this == other || (hash == other.hash && compareBucketsTo(other) == 0);
  }

  private static int compareOwners(BucketLimits a, BucketLimits b) {
    int byKind = a.ownerKind.compareTo(b.ownerKind);
    return byKind != 0 ? byKind : a.ownerId.compareTo(b.ownerId);
  }

  /** Orders limits by owner, then by fingerprint; 0 if the same buckets obey both. */
  public int compareBucketsTo(BucketLimits other) {
    int byOwner = compareOwners(this, other);
    return byOwner != 0 ? byOwner : fingerprint.compareTo(other.fingerprint);
  }

  /**
   * Orders limits by their buckets, then by their numbers: the order in which buckets are taken
   * together.
   */
  @Override
  public int compareTo(BucketLimits other) {
    int byBuckets = compareBucketsTo(other);
    return byBuckets != 0 ? byBuckets : compiled.numbers.compareTo(other.compiled.numbers);
  }

  @Override
  public boolean equals(Object o) {
    return o == this
        || (o instanceof BucketLimits other && hash == other.hash && compareTo(other) == 0);
  }

  @Override
  public int hashCode() {
    return hash;
  }

  @Override
  public String toString() {
    return owner() + "@" + fingerprint;
  }
}
