package dev.redline.rules.documents.loading;

import dev.redline.core.RateLimitEngine;
import dev.redline.core.key.IdentitySettings;
import dev.redline.core.spi.ConfigProvider;
import dev.redline.core.spi.MetricsExporter;
import dev.redline.core.spi.RuleRepository;
import dev.redline.rules.documents.ReadResult;
import dev.redline.rules.documents.RuleDocument;
import dev.redline.rules.documents.RuleProblem;
import dev.redline.rules.documents.loading.EffectiveRules.Contribution;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Loads rule documents from their sources, merges them and puts the result in force.
 *
 * <p>A change applies as a whole or not at all. Unchanged documents cause no new version. Sources
 * are merged by the ids of rules and plans; a later source wins. While a source cannot be reached
 * or its document is invalid, its last valid document stays in force. Errors are part of {@link
 * #status}, are logged when they change, and are counted.
 *
 * <p>Thread-safe. Sources are fetched independently of each other; what was fetched is merged and
 * put in force by one thread at a time. Decisions never wait for it.
 */
public final class RuleLoader implements AutoCloseable {
  private static final Logger LOG = System.getLogger(RuleLoader.class.getName());

  private final List<SourceState> states;
  private final @Nullable SourceState starting;
  private final RulePublisher publisher;
  private final MetricsExporter metrics;
  private final Clock clock;
  private boolean loadedOnce;
  private boolean startingRejected;
  private List<String> mergeErrors = List.of();
  private List<String> loggedErrors = List.of();
  private volatile RulesStatus status = RulesStatus.NONE;

  private RuleLoader(Builder builder) {
    this.states = builder.sources.stream().map(SourceState::new).toList();
    this.starting = builder.starting == null ? null : new SourceState(builder.starting.frozen());
    this.publisher =
        new RulePublisher(
            builder.engine, builder.identity, builder.clock, builder.resetBuckets, source());
    this.metrics = builder.metrics;
    this.clock = builder.clock;
  }

  /**
   * Returns a builder of a loader; nothing is loaded yet.
   *
   * @param engine the engine that decides by the rules
   * @param sources the sources of the rules, weakest first
   */
  public static Builder builder(RateLimitEngine engine, List<RuleSource> sources) {
    return new Builder(engine, sources);
  }

  /** Returns the names of the sources, separated by commas. */
  public String source() {
    return states.stream()
        .map(state -> state.source().provider().name())
        .collect(Collectors.joining(", "));
  }

  /** Returns the sources, weakest first. */
  public List<RuleSource> sources() {
    return states.stream().map(SourceState::source).toList();
  }

  /** Returns the strongest source that is writable. */
  public Optional<RuleRepository> repository() {
    return states.stream()
        .map(state -> state.source().provider())
        .filter(RuleRepository.class::isInstance)
        .map(RuleRepository.class::cast)
        .reduce((weaker, stronger) -> stronger);
  }

  /** Returns the version in force and the errors of the last load. */
  public RulesStatus status() {
    return status;
  }

  /** Returns the rules in force and the contribution of each source. */
  public EffectiveRules effective() {
    return publisher.effective();
  }

  /**
   * Loads for the first time.
   *
   * @throws InvalidRulesException if a source that is required has no valid document, or the
   *     starting document is needed and not valid; other sources may be unreachable or empty, and
   *     are loaded again later
   */
  public RulesStatus start() {
    load(states);
    synchronized (this) {
      checkStarted();
      logErrors();
      return status;
    }
  }

  private void checkStarted() {
    List<String> fatal = new ArrayList<>();
    for (SourceState state : states) {
      if (state.source().required()) {
        fatal.addAll(state.errors());
      }
    }
    fatal.addAll(startingErrors());
    if (!fatal.isEmpty() || (!mergeErrors.isEmpty() && !status.loaded())) {
      throw new InvalidRulesException(status.errors());
    }
    if (starting != null && startingInForce().isEmpty()) {
      starting
          .errors()
          .forEach(
              error ->
                  LOG.log(
                      Level.WARNING,
                      "the starting document is not needed, and has an error: " + error));
    }
  }

  /** Loads all sources again, and logs the errors if they changed. */
  public RulesStatus reload() {
    load(states);
    logErrors();
    return status;
  }

  /** Loads one source again, and logs the errors if they changed. */
  public RulesStatus reload(ConfigProvider source) {
    loadSource(source);
    return status;
  }

  SourceLoad loadSource(ConfigProvider source) {
    SourceState state = stateOf(source);
    boolean changed = load(List.of(state));
    logErrors();
    synchronized (this) {
      return new SourceLoad(!state.isUnreachable(), changed);
    }
  }

  /**
   * Fetches the documents of all sources, and puts them in force if they changed and are valid.
   *
   * @return the version now in force, and the errors of the sources
   */
  public RulesStatus load() {
    load(states);
    return status;
  }

  /** Loads some sources; returns whether one of them has changed. */
  private boolean load(List<SourceState> due) {
    boolean changed = loadStarting();
    for (SourceState state : due) {
      changed |= fetch(state);
    }
    apply(due, changed);
    return changed;
  }

  private synchronized boolean loadStarting() {
    if (starting == null) {
      return false;
    }
    boolean changed = starting.accept(starting.fetch());
    starting.read();
    startingRejected = rejected(starting.finish(Set.of()));
    starting.forgetIfValid();
    return changed;
  }

  /** Fetches from a source without the lock of this loader: a slow source delays no other. */
  private boolean fetch(SourceState state) {
    state.fetching().lock();
    try {
      boolean changed = accept(state, state.fetch());
      return seed(state) ? accept(state, state.fetch()) : changed;
    } finally {
      state.fetching().unlock();
    }
  }

  private synchronized boolean accept(SourceState state, SourceState.Fetched fetched) {
    return state.accept(fetched);
  }

  private synchronized void apply(List<SourceState> due, boolean fetchedChanges) {
    boolean changed = fetchedChanges || !loadedOnce;
    loadedOnce = true;
    boolean failed = false;
    if (changed) {
      states.forEach(SourceState::read);
      for (SourceState state : states) {
        failed |= rejected(state.finish(plansExcept(state)));
      }
      failed |= !merge();
    }
    failed |= startingRejected && startingInForce().isPresent();
    startingRejected = false;
    due.forEach(SourceState::forgetIfValid);
    status = new RulesStatus(publisher.effective().version(), publisher.inForceSince(), errors());
    if (failed || due.stream().anyMatch(state -> state.isUnreachable() || state.isMissing())) {
      record(() -> metrics.rulesLoaded(false));
    } else if (status.loaded() && status.errors().isEmpty()) {
      // Also where nothing changed: an alert on the last success must clear.
      record(changed ? () -> metrics.rulesLoaded(true) : metrics::rulesConfirmed);
    }
  }

  /** Records a load; an exporter that fails changes neither the rules nor the start. */
  private static void record(Runnable call) {
    try {
      call.run();
    } catch (Throwable e) {
      LOG.log(Level.WARNING, "a metrics exporter failed to record a load of rules", e);
    }
  }

  /**
   * Logs the warnings of a valid result; returns whether the document was rejected. A rejected one
   * is read again whenever another source changes, and its rules are not in force.
   */
  private static boolean rejected(Optional<ReadResult> result) {
    result
        .filter(ReadResult::valid)
        .ifPresent(
            read -> read.warnings().forEach(warning -> LOG.log(Level.WARNING, warning.toString())));
    return result.isPresent() && !result.get().valid();
  }

  /** Returns the ids of the plans of all sources as last read, also while they are not in force. */
  public synchronized Set<String> planIds() {
    Set<String> plans = new HashSet<>();
    states.forEach(state -> plans.addAll(state.planIds()));
    return plans;
  }

  private Set<String> plansExcept(SourceState except) {
    Set<String> plans = new HashSet<>();
    for (SourceState state : states) {
      if (state != except) {
        plans.addAll(state.planIds());
      }
    }
    if (except.source().overlay()) {
      startingInForce().map(SourceState::planIds).ifPresent(plans::addAll);
    }
    return plans;
  }

  /** Writes the starting document to a writable source that never held a document. */
  private boolean seed(SourceState state) {
    Optional<RuleDocument> document;
    synchronized (this) {
      document =
          starting != null && !state.source().overlay() && state.wasAlwaysEmpty()
              ? starting.document()
              : Optional.empty();
    }
    return document.isPresent()
        && starting != null
        && state.source().provider() instanceof RuleRepository repository
        && SeedWriter.write(repository, document.get(), starting.source().provider().name(), clock);
  }

  private List<String> errors() {
    List<String> errors = new ArrayList<>();
    errors.addAll(startingErrors());
    states.forEach(state -> errors.addAll(state.errors()));
    errors.addAll(mergeErrors);
    if (errors.isEmpty() && publisher.inForceSince().isEmpty()) {
      errors.add(source() + ": there is no rule document yet");
    }
    return errors;
  }

  /** Puts the merged documents in force; returns false if they contradict each other. */
  private boolean merge() {
    List<Contribution> contributions = contributions();
    mergeErrors = contributions.isEmpty() ? mergeErrors : publisher.publish(contributions);
    return contributions.isEmpty() || mergeErrors.isEmpty();
  }

  private List<Contribution> contributions() {
    List<SourceState> weakestFirst = new ArrayList<>();
    startingInForce().ifPresent(weakestFirst::add);
    weakestFirst.addAll(states);
    List<Contribution> contributions = new ArrayList<>();
    for (SourceState state : weakestFirst) {
      state
          .document()
          .ifPresent(read -> contributions.add(new Contribution(state.source().provider(), read)));
    }
    return contributions;
  }

  /** Returns the errors of the starting document while it would be in force. */
  private List<String> startingErrors() {
    return startingInForce().map(SourceState::errors).orElse(List.of());
  }

  /** Returns the starting document's state while no source but overlays has a document. */
  private Optional<SourceState> startingInForce() {
    boolean replaced =
        states.stream().anyMatch(s -> !s.source().overlay() && s.document().isPresent());
    return replaced ? Optional.empty() : Optional.ofNullable(starting);
  }

  /**
   * Validates documents as if a source held them, alone and together with the other sources,
   * without putting them in force.
   */
  public synchronized ReadResult tryOut(
      ConfigProvider source, List<ConfigProvider.Document> documents) {
    SourceState changed = stateOf(source);
    ReadResult result = changed.source().reader().read(documents, plansExcept(changed));
    if (!result.valid()) {
      return result;
    }
    List<RuleDocument> all = new ArrayList<>();
    if (changed.source().overlay()) {
      startingInForce().flatMap(SourceState::document).ifPresent(all::add);
    }
    for (SourceState state : states) {
      (state == changed ? Optional.of(result.document()) : state.document()).ifPresent(all::add);
    }
    try {
      EffectiveRules.merge(all).toBook().build();
      return result;
    } catch (IllegalArgumentException e) {
      String name = documents.isEmpty() ? source.name() : documents.get(0).name();
      RuleProblem problem =
          new RuleProblem(
              name,
              1,
              Optional.empty(),
              Optional.empty(),
              Optional.empty(),
              String.valueOf(e.getMessage()),
              Optional.empty());
      return new ReadResult(result.document(), List.of(problem), result.warnings());
    }
  }

  private SourceState stateOf(ConfigProvider source) {
    return states.stream()
        .filter(state -> state.source().provider() == source)
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException(source.name() + " is not a source"));
  }

  private synchronized void logErrors() {
    List<String> errors = status.errors();
    if (errors.equals(loggedErrors)) {
      return;
    }
    loggedErrors = errors;
    errors.forEach(error -> LOG.log(Level.ERROR, error));
    if (errors.isEmpty()) {
      LOG.log(Level.INFO, "all errors of {0} are resolved", source());
    }
  }

  /** Closes the sources. */
  @Override
  public void close() {
    states.forEach(state -> state.source().provider().close());
    if (starting != null) {
      starting.source().provider().close();
    }
  }

  /** Builds a loader. */
  public static final class Builder {
    private final RateLimitEngine engine;
    private final List<RuleSource> sources;
    private @Nullable RuleSource starting;
    private IdentitySettings identity = IdentitySettings.DEFAULT;
    private MetricsExporter metrics = MetricsExporter.NONE;
    private Clock clock = Clock.systemUTC();
    private boolean resetBuckets = true;

    private Builder(RateLimitEngine engine, List<RuleSource> sources) {
      this.engine = engine;
      this.sources = List.copyOf(sources);
    }

    /**
     * Sets the starting document: in force until a source has one, and written to an empty source
     * that is writable. {@linkplain RuleSource#overlay Overlays} are no such sources.
     */
    public Builder startingWith(RuleSource source) {
      starting = source;
      return this;
    }

    /** Sets how raw client properties become identities. */
    public Builder identity(IdentitySettings value) {
      identity = value;
      return this;
    }

    /** Sets the metrics that record loads. */
    public Builder metrics(MetricsExporter value) {
      metrics = value;
      return this;
    }

    /** Sets the clock for the time at which rules came into force. */
    public Builder clock(Clock value) {
      clock = value;
      return this;
    }

    /** Sets whether changed limits start with full buckets; otherwise taken tokens carry over. */
    public Builder resetBuckets(boolean value) {
      resetBuckets = value;
      return this;
    }

    /** Builds the loader. */
    public RuleLoader build() {
      return new RuleLoader(this);
    }
  }
}
