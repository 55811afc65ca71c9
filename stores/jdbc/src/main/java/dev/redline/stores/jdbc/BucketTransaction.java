package dev.redline.stores.jdbc;

import dev.redline.core.internal.remote.CallThreads;
import dev.redline.core.internal.remote.DenyCache;
import dev.redline.core.internal.remote.PendingCall;
import dev.redline.core.internal.remote.ResetGenerations;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.BucketStates;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.StoreException;
import dev.redline.stores.jdbc.BucketTable.LockedRows;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import javax.sql.DataSource;

/**
 * One transaction for all acquisitions that have gathered: locks their rows, decides one
 * acquisition after the other at the server's time, writes the rows that changed, commits.
 *
 * <p>It runs once. If it fails before the commit, nothing was taken; if the reply to the commit is
 * missing, that is unknown.
 */
final class BucketTransaction implements CallThreads.Call<Acquisition, Outcome> {
  private final DataSource dataSource;
  private final BucketTable table;
  private final ResetGenerations generations;
  private final DenyCache denials;
  private final JdbcSettings settings;

  BucketTransaction(
      DataSource dataSource,
      BucketTable table,
      ResetGenerations generations,
      DenyCache denials,
      JdbcSettings settings) {
    this.dataSource = dataSource;
    this.table = table;
    this.generations = generations;
    this.denials = denials;
    this.settings = settings;
  }

  @Override
  public String node(Acquisition first) {
    return "";
  }

  @Override
  public StoreException failure(Exception e) {
    return JdbcMaintenance.failure(settings, e);
  }

  /** An acquisition with the keys of its rows and the generations that it goes by. */
  private static final class Request {
    private final PendingCall<Acquisition, Outcome> pending;
    private final String[] keys;
    private final long[] generations;

    Request(PendingCall<Acquisition, Outcome> pending, String[] keys, long[] generations) {
      this.pending = pending;
      this.keys = keys;
      this.generations = generations;
    }
  }

  @Override
  public Object[] run(List<PendingCall<Acquisition, Outcome>> batch) throws SQLException {
    Set<String> keys = new LinkedHashSet<>();
    List<Request> requests = new ArrayList<>(batch.size());
    for (PendingCall<Acquisition, Outcome> pending : batch) {
      Acquisition acquisition = pending.request();
      String[] own = new String[acquisition.size()];
      for (int i = 0; i < own.length; i++) {
        own[i] = BucketRow.key(acquisition.key(i));
        keys.add(own[i]);
      }
      requests.add(new Request(pending, own, generations.of(acquisition)));
    }
    long sentNanos = System.nanoTime();
    try (BorrowedConnection borrowed = BorrowedConnection.from(dataSource, settings)) {
      Connection connection = borrowed.connection();
      try {
        Decisions decisions = new Decisions(table.lock(connection, keys));
        Object[] results = new Object[batch.size()];
        for (int i = 0; i < results.length; i++) {
          results[i] = decisions.decide(requests.get(i));
        }
        decisions.write(connection);
        learn(requests, results, sentNanos);
        return results;
      } catch (SQLException | RuntimeException | Error e) {
        giveUp(connection);
        throw e;
      }
    }
  }

  private void learn(List<Request> requests, Object[] results, long sentNanos) {
    for (int i = 0; i < results.length; i++) {
      if (results[i] instanceof Outcome outcome) {
        Request request = requests.get(i);
        denials.learn(
            request.pending.request(),
            key -> request.generations[key],
            outcome,
            sentNanos,
            System.nanoTime());
      }
    }
  }

  /** Ends a transaction that failed; closes the connection if that fails too. */
  private void giveUp(Connection connection) {
    try {
      table.rollback(connection);
    } catch (SQLException e) {
      try {
        connection.abort(Runnable::run);
      } catch (SQLException closed) {
        // The pool finds out that it is broken.
      }
    }
  }

  /** The decisions of one transaction, each on the rows as the one before it left them. */
  private final class Decisions {
    private final long nowMicros;
    private final Map<String, BucketRow> rows;
    private final Map<String, Long> microsToFull = new LinkedHashMap<>();

    Decisions(LockedRows locked) {
      this.nowMicros = locked.nowMicros();
      this.rows = new HashMap<>(locked.byKey());
    }

    /** Returns an outcome, or the failure of this acquisition alone. */
    Object decide(Request request) {
      if (request.pending.isDone() || request.pending.nanosLeft() <= 0) {
        return new StoreException(
            StoreException.Kind.UNAVAILABLE,
            "nothing was acquired: " + settings.target() + " did not reply in time");
      }
      try {
        return decide(request.pending.request(), request.keys, request.generations);
      } catch (StoreException badState) {
        return badState;
      }
    }

    private Outcome decide(Acquisition acquisition, String[] keys, long[] known) {
      BucketStates states = new BucketStates(acquisition);
      for (int i = 0; i < keys.length; i++) {
        long[] words = row(keys[i]).words(known[i]);
        if (words != null) {
          states.load(i, words);
        }
      }
      Outcome outcome = states.decide(nowMicros);
      for (int i = 0; i < keys.length; i++) {
        if (states.isChanged(i)) {
          BucketRow before = row(keys[i]);
          long generation = Math.max(before.generation(), known[i]);
          rows.put(keys[i], before.with(generation, states.state(i)));
          microsToFull.put(keys[i], states.microsToFull(i, nowMicros));
        }
      }
      return outcome;
    }

    private BucketRow row(String key) {
      return Objects.requireNonNull(rows.get(key), "PostgreSQL did not return a locked row");
    }

    /** Writes what changed, and ends the transaction. */
    void write(Connection connection) throws SQLException {
      if (microsToFull.isEmpty()) {
        table.rollback(connection);
        return;
      }
      List<BucketRow> changed = microsToFull.keySet().stream().map(this::row).toList();
      table.write(connection, changed, List.copyOf(microsToFull.values()));
    }
  }
}
