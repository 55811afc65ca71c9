package dev.redline.rules.mongo;

import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
import com.mongodb.MongoCommandException;
import com.mongodb.MongoException;
import com.mongodb.MongoSecurityException;
import com.mongodb.ReadPreference;
import com.mongodb.WriteConcern;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.bson.BSONException;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/**
 * The client, created on first use, and the collections. Reads come from the primary, and writes
 * wait for a majority, so that a node that reads after a write sees it.
 */
final class MongoAccess implements AutoCloseable {
  private static final int SELECTION_MILLIS = 2_000;
  private static final int CONNECT_MILLIS = 2_000;
  private static final int READ_MILLIS = 5_000;
  private static final int MAX_REASON = 500;
  private static final int UNAUTHORIZED = 13;

  /** Database calls. */
  interface Call<T> {
    T run() throws IOException;
  }

  private final MongoSettings settings;
  private final Optional<MongoClient> supplied;
  private @Nullable MongoClient own;
  private boolean closed;

  MongoAccess(MongoSettings settings, Optional<MongoClient> supplied) {
    this.settings = settings;
    this.supplied = supplied;
  }

  String name() {
    return "MongoDB " + settings.database() + "." + settings.collection();
  }

  /** Returns the collection of the rules, or one whose name is derived from it. */
  MongoCollection<BsonDocument> collection(String suffix) {
    return database().getCollection(settings.collection() + suffix, BsonDocument.class);
  }

  private MongoDatabase database() {
    return client()
        .getDatabase(settings.database())
        .withCodecRegistry(MongoClientSettings.getDefaultCodecRegistry())
        .withReadPreference(ReadPreference.primary())
        .withWriteConcern(WriteConcern.MAJORITY);
  }

  private synchronized MongoClient client() {
    if (closed) {
      throw new IllegalStateException("closed");
    }
    if (supplied.isPresent()) {
      return supplied.get();
    }
    MongoClient client = own;
    if (client == null) {
      client = create(parsed(settings.uri().orElseThrow()));
      own = client;
    }
    return client;
  }

  private static ConnectionString parsed(String uri) {
    try {
      return new ConnectionString(uri);
    } catch (IllegalArgumentException e) {
      // Without the driver's message, which may quote the URI.
      throw new IllegalStateException(MongoSettings.URI + " is not valid");
    }
  }

  /** Sets time-outs that the URI does not set: the driver's own are half a minute. */
  private static MongoClient create(ConnectionString uri) {
    MongoClientSettings.Builder builder =
        MongoClientSettings.builder().applicationName("redline").applyConnectionString(uri);
    if (uri.getServerSelectionTimeout() == null) {
      builder.applyToClusterSettings(
          cluster -> cluster.serverSelectionTimeout(SELECTION_MILLIS, TimeUnit.MILLISECONDS));
    }
    builder.applyToSocketSettings(
        socket -> {
          if (uri.getConnectTimeout() == null) {
            socket.connectTimeout(CONNECT_MILLIS, TimeUnit.MILLISECONDS);
          }
          if (uri.getSocketTimeout() == null) {
            socket.readTimeout(READ_MILLIS, TimeUnit.MILLISECONDS);
          }
        });
    return MongoClients.create(builder.build());
  }

  /** Runs calls; a failure names this source and never shows the URI. */
  <T> T call(Call<T> call) throws IOException {
    try {
      return call.run();
    } catch (MongoException e) {
      if (isForbidden(e)) {
        drop();
      }
      throw failure(e);
    } catch (IllegalStateException | BSONException e) {
      throw failure(e);
    } catch (IOException e) {
      throw new IOException(name() + ": " + e.getMessage(), e);
    }
  }

  IOException failure(RuntimeException failure) {
    return new IOException(name() + ": " + reason(failure), failure);
  }

  private static String reason(RuntimeException failure) {
    String what =
        failure instanceof MongoCommandException command
            ? "error " + command.getErrorCode() + ": " + command.getErrorMessage()
            : String.valueOf(failure.getMessage());
    Throwable root = failure;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    String why = String.valueOf(root.getMessage());
    String reason = what.contains(why) ? what : what + ": " + why;
    return reason.length() > MAX_REASON ? reason.substring(0, MAX_REASON) + "…" : reason;
  }

  /** Returns whether the user may read but not write. */
  static boolean isForbidden(MongoException failure) {
    return failure.getCode() == UNAUTHORIZED && !(failure instanceof MongoSecurityException);
  }

  /** Closes the client, unless it is the application's. */
  @Override
  public synchronized void close() {
    closed = true;
    drop();
  }

  /**
   * Closes the connections, so that the next call authenticates again: connections of a user who
   * was removed and created again stay without rights.
   */
  private synchronized void drop() {
    if (own != null) {
      own.close();
      own = null;
    }
  }
}
