package dev.redline.server.cli;

import dev.redline.core.internal.rule.CompiledRule;
import dev.redline.core.internal.settings.FlatProperties;
import dev.redline.core.internal.store.BandCursor;
import dev.redline.core.limit.BucketLimits;
import dev.redline.core.limit.BucketLimits.OwnerKind;
import dev.redline.core.rule.RuleBook;
import dev.redline.core.settings.InvalidSettingsException;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import dev.redline.redis.RedisProperties;
import dev.redline.rules.documents.ReadResult;
import dev.redline.rules.documents.reading.RuleDocumentReader;
import dev.redline.server.settings.ServerSettings;
import dev.redline.stores.redis.RedisBucket;
import dev.redline.stores.redis.RedisSettings;
import dev.redline.stores.redis.RedisStore;
import java.io.PrintStream;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionException;

/** Prints a bucket in Redis in readable form, without acquiring from it. */
final class InspectCommand implements Command {
  private static final Set<String> OPTIONS = Set.of("--redis", "--rules");

  @Override
  public String name() {
    return "inspect";
  }

  @Override
  public String usage() {
    return "inspect KEY [--redis URI] [--rules FILE]";
  }

  @Override
  public String summary() {
    return "prints a bucket in Redis; with its rules, also how much is left";
  }

  @Override
  public int run(List<String> words, Terminal terminal) {
    Arguments arguments = Arguments.parse(words, OPTIONS, Set.of());
    if (arguments.rest().size() != 1) {
      throw new UsageException("one key is needed, as redis-cli --scan shows it");
    }
    Map<String, String> properties =
        new HashMap<>(ServerSettings.CATALOG.environment(terminal.variables()));
    arguments.one("--redis").ifPresent(uri -> properties.put("rl.redis.uri", uri));
    try {
      ServerSettings.parse(properties);
    } catch (InvalidSettingsException e) {
      e.problems().forEach(terminal.err()::println);
      return Redline.FAILED;
    }
    Optional<RuleBook> book = Optional.empty();
    if (arguments.one("--rules").isPresent()) {
      book = book(arguments.one("--rules").get(), terminal);
      if (book.isEmpty()) {
        return Redline.FAILED;
      }
    }
    FlatProperties reader = new FlatProperties(properties);
    RedisSettings settings = RedisSettings.read(reader, RedisProperties.read(reader));
    return inspect(arguments.rest().get(0), settings, book, terminal);
  }

  private static Optional<RuleBook> book(String rules, Terminal terminal) {
    RuleFiles files = RuleFiles.read(List.of(rules), terminal.in());
    files.errors().forEach(terminal.err()::println);
    if (!files.errors().isEmpty()) {
      return Optional.empty();
    }
    ReadResult read =
        RuleDocumentReader.withPlaceholders(terminal.variables()::get).read(files.documents());
    read.errors().forEach(terminal.err()::println);
    return read.valid() ? Optional.of(read.document().toBook().build()) : Optional.empty();
  }

  private static int inspect(
      String key, RedisSettings settings, Optional<RuleBook> book, Terminal terminal) {
    // A person waits for this, not a request, so the longer timeout is used for commands too.
    Duration timeout = settings.connection().connectTimeout();
    try (RedisStore store = RedisStore.start(settings.withCommandTimeout(timeout))) {
      if (!store.awaitReady(timeout.multipliedBy(2))) {
        terminal
            .err()
            .println(
                "redline inspect: cannot use Redis at "
                    + withoutPassword(settings.connection().uri())
                    + ": "
                    + store.health().reason().orElse("it does not answer"));
        return Redline.FAILED;
      }
      Optional<RedisBucket> found = store.read(key).toCompletableFuture().join();
      if (found.isEmpty()) {
        terminal
            .err()
            .println("redline inspect: no such key: the bucket is full, or was never used");
        return Redline.FAILED;
      }
      RedisBucket bucket = found.get();
      print(bucket, terminal.out());
      book.ifPresent(rules -> printRemaining(bucket, rules, store, terminal.out()));
      return Redline.DONE;
    } catch (CompletionException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      terminal.err().println("redline inspect: " + cause.getMessage());
      return Redline.FAILED;
    }
  }

  private static String withoutPassword(String uri) {
    return uri.replaceFirst("//.*@", "//");
  }

  private static void print(RedisBucket bucket, PrintStream out) {
    String kind = bucket.ownerKind() == OwnerKind.RULE ? "rule" : "plan";
    out.println(kind + "        " + bucket.ownerId());
    out.println("limits      " + bucket.fingerprint());
    out.println("identity    " + bucket.identity());
    out.println("expires in  " + bucket.expiresIn());
    if (bucket.generation() > 0) {
      Instant reset = Instant.EPOCH.plus(bucket.generation(), ChronoUnit.MICROS);
      out.println("reset at    " + reset);
    }
    for (int b = 0; b < bucket.bands().size(); b++) {
      out.println("band " + (b + 1) + "      " + bucket.bands().get(b).describe());
    }
  }

  private static void printRemaining(
      RedisBucket bucket, RuleBook book, RedisStore store, PrintStream out) {
    Optional<BucketLimits> limits = limits(bucket, book).filter(bucket::isOf);
    if (limits.isEmpty()) {
      out.println("the rules have no limits for " + bucket.ownerId() + " that fit this bucket");
      return;
    }
    BucketLimits own = limits.get();
    Acquisition dryRun = Acquisition.builder().dryRun(true).add(bucket.key(own), 1, false).build();
    Outcome outcome = store.acquire(dryRun).toCompletableFuture().join();
    BandCursor at = new BandCursor(dryRun);
    while (at.nextBand()) {
      out.println(
          own.label(at.number())
              + ": "
              + at.band().remaining(outcome.views(), at.view())
              + " of "
              + at.band().capacity()
              + " left");
    }
  }

  private static Optional<BucketLimits> limits(RedisBucket bucket, RuleBook book) {
    if (bucket.ownerKind() == OwnerKind.PLAN) {
      return Optional.ofNullable(book.compiled().planLimits(bucket.ownerId()));
    }
    return Optional.ofNullable(book.compiled().rule(bucket.ownerId()))
        .filter(CompiledRule::limiting)
        .map(CompiledRule::limits);
  }
}
