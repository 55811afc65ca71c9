package dev.redline.rules.mongo;

import com.mongodb.MongoCommandException;
import com.mongodb.MongoException;
import com.mongodb.client.MongoChangeStreamCursor;
import com.mongodb.client.model.Aggregates;
import com.mongodb.client.model.Projections;
import com.mongodb.client.model.changestream.ChangeStreamDocument;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.bson.BsonDocument;

/**
 * Notices changes by change streams. An event only ends a wait; what changed is then read from the
 * collections. A server without change streams, such as one that is no replica set, is only polled.
 */
final class ChangeStreams implements ChangeSignal {
  private static final Logger LOG = System.getLogger(ChangeStreams.class.getName());
  private static final long TURN_MILLIS = 200;

  private final MongoAccess access;
  private final List<String> watched;
  private final ReentrantLock waiting = new ReentrantLock();
  private final List<MongoChangeStreamCursor<ChangeStreamDocument<BsonDocument>>> cursors =
      new ArrayList<>();
  private volatile boolean closed;
  private boolean reported;

  /**
   * Prepares streams, which the first wait opens.
   *
   * @param watched the suffixes of the collections
   */
  ChangeStreams(MongoAccess access, List<String> watched) {
    this.access = access;
    this.watched = List.copyOf(watched);
  }

  @Override
  public void await(Duration atMost) throws IOException, InterruptedException {
    waiting.lockInterruptibly();
    try {
      awaitUntil(System.nanoTime() + atMost.toNanos());
    } finally {
      waiting.unlock();
      if (closed) {
        close();
      }
    }
  }

  private void awaitUntil(long deadline) throws IOException, InterruptedException {
    if (closed) {
      return;
    }
    if (cursors.isEmpty()) {
      if (open()) {
        // A change before the streams were open caused no event.
        return;
      }
      sleepUntil(deadline);
      return;
    }
    try {
      awaitEvent(deadline);
    } catch (MongoException | IllegalStateException e) {
      closeCursors();
      throw access.failure(e);
    }
  }

  /** Returns false if the server has no change streams, or does not allow them. */
  private boolean open() throws IOException {
    try {
      for (String suffix : watched) {
        cursors.add(
            access
                .collection(suffix)
                // Events without their documents, which may be large.
                .watch(List.of(Aggregates.project(Projections.include("_id", "operationType"))))
                .maxAwaitTime(TURN_MILLIS, TimeUnit.MILLISECONDS)
                .cursor());
      }
      return true;
    } catch (MongoCommandException e) {
      closeCursors();
      if (!reported) {
        reported = true;
        LOG.log(
            Level.INFO,
            access.name()
                + ": there are no change streams here, so changes are found by polling: "
                + e.getErrorMessage());
      }
      return false;
    } catch (MongoException | IllegalStateException e) {
      closeCursors();
      throw access.failure(e);
    }
  }

  /** Each stream waits a turn in the server; so a wait also ends soon after an interrupt. */
  private void awaitEvent(long deadline) throws InterruptedException {
    while (System.nanoTime() - deadline < 0) {
      for (MongoChangeStreamCursor<ChangeStreamDocument<BsonDocument>> cursor : cursors) {
        long started = System.nanoTime();
        if (isSeen(cursor)) {
          return;
        }
        if (Thread.interrupted()) {
          throw new InterruptedException();
        }
        if (closed) {
          return;
        }
        // The server may answer earlier than it was asked to.
        long turnEnd = started + TimeUnit.MILLISECONDS.toNanos(TURN_MILLIS / 4);
        sleepUntil(Math.min(turnEnd, deadline));
      }
    }
  }

  /** Takes all events that are there: one load covers them. */
  private static boolean isSeen(
      MongoChangeStreamCursor<ChangeStreamDocument<BsonDocument>> cursor) {
    if (cursor.tryNext() == null) {
      return false;
    }
    while (cursor.available() > 0) {
      cursor.tryNext();
    }
    return true;
  }

  private static void sleepUntil(long nanoTime) throws InterruptedException {
    long nanos = nanoTime - System.nanoTime();
    if (nanos > 0) {
      TimeUnit.NANOSECONDS.sleep(nanos);
    }
  }

  @Override
  public void announce(long version) {}

  private void closeCursors() {
    for (MongoChangeStreamCursor<ChangeStreamDocument<BsonDocument>> cursor : cursors) {
      try {
        cursor.close();
      } catch (MongoException | IllegalStateException e) {
        LOG.log(Level.DEBUG, access.name() + ": a change stream was not closed", e);
      }
    }
    cursors.clear();
  }

  /** Ends a wait within a turn, and the streams: the client may be the application's. */
  @Override
  public void close() {
    closed = true;
    // A thread that waits closes the streams when its wait ends.
    if (waiting.tryLock()) {
      try {
        closeCursors();
      } finally {
        waiting.unlock();
      }
    }
  }
}
