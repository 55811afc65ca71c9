package dev.redline.rules.mongo;

import com.mongodb.ConnectionString;
import dev.redline.core.spi.PropertyReader;
import java.time.Duration;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Where the rules are in MongoDB.
 *
 * @param uri the address, which may hold a password; absent where the application's client is used
 * @param database the database
 * @param collection the collection of the rules; the names of further collections start with it
 * @param pollInterval how often the rules are read even if no change was noticed
 */
public record MongoSettings(
    Optional<String> uri, String database, String collection, Duration pollInterval) {
  static final String URI = "rl.mongo.uri";
  private static final String DEFAULT_DATABASE = "redline";
  private static final String DEFAULT_COLLECTION = "rate_limit_rules";
  private static final Duration DEFAULT_POLL_INTERVAL = Duration.ofSeconds(5);
  private static final Pattern DATABASE = Pattern.compile("[A-Za-z0-9_-]{1,63}");
  private static final Pattern COLLECTION = Pattern.compile("[A-Za-z_][A-Za-z0-9._-]{0,99}");

  /**
   * Checks the names.
   *
   * @throws IllegalArgumentException if something is not valid; the message does not show the URI
   */
  public MongoSettings {
    uri.ifPresent(MongoSettings::checkedUri);
    checked(DATABASE, database, "database");
    checked(COLLECTION, collection, "collection");
    if (collection.startsWith("system.")) {
      throw new IllegalArgumentException("collection must not start with 'system.'");
    }
  }

  /** Returns the default settings for a server. */
  public static MongoSettings of(String uri) {
    return new MongoSettings(
        Optional.of(uri), DEFAULT_DATABASE, DEFAULT_COLLECTION, DEFAULT_POLL_INTERVAL);
  }

  static MongoSettings read(PropertyReader from) {
    return new MongoSettings(
        uri(from),
        from.property("rl.mongo.database", "the database of the rules")
            .unlessSet("`" + DEFAULT_DATABASE + "`")
            .parsed("use up to 63 of A-Z a-z 0-9 _ -", text -> checked(DATABASE, text, "database"))
            .orElse(DEFAULT_DATABASE),
        from.property(
                "rl.mongo.collection",
                "the collection of the rules; plans, revisions and audit are in collections whose"
                    + " names start with it")
            .unlessSet("`" + DEFAULT_COLLECTION + "`")
            .parsed(
                "use up to 100 of A-Z a-z 0-9 . _ -, starting with a letter",
                text -> checked(COLLECTION, text, "collection"))
            .orElse(DEFAULT_COLLECTION),
        from.property(
                "rl.mongo.poll-interval",
                "how often the rules are read even if no change was noticed")
            .duration(DEFAULT_POLL_INTERVAL));
  }

  private static Optional<String> uri(PropertyReader from) {
    Optional<String> uri =
        from.property(
                URI,
                "`mongodb://` or `mongodb+srv://`; without it the source uses the application's"
                    + " `MongoClient`; see [MongoDB](sources.md#mongodb)")
            .secret();
    try {
      uri.ifPresent(MongoSettings::checkedUri);
      return uri;
    } catch (IllegalArgumentException e) {
      from.secretProblem(URI, String.valueOf(e.getMessage()));
      return Optional.empty();
    }
  }

  /** The driver's messages may quote parts of the URI, so none of them is shown. */
  private static void checkedUri(String uri) {
    // A look at the scheme alone: parsing mongodb+srv:// asks the name server.
    if (uri.startsWith("mongodb+srv://")) {
      return;
    }
    boolean valid = uri.startsWith("mongodb://");
    if (valid) {
      try {
        new ConnectionString(uri);
      } catch (IllegalArgumentException e) {
        valid = false;
      }
    }
    if (!valid) {
      throw new IllegalArgumentException(
          "use mongodb:// or mongodb+srv:// and an address; in a user or password write @ as %40,"
              + " / as %2F, : as %3A and % as %25");
    }
  }

  private static String checked(Pattern pattern, String text, String what) {
    if (!pattern.matcher(text).matches()) {
      throw new IllegalArgumentException(what + " '" + text + "' is not a valid name");
    }
    return text;
  }

  /** Returns the names alone: a URI may hold a password. */
  @Override
  public String toString() {
    return "MongoSettings[" + database + "." + collection + "]";
  }
}
