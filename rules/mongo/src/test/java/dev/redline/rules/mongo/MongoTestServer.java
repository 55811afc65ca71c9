package dev.redline.rules.mongo;

import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import de.bwaldvogel.mongo.bson.BinData;
import de.bwaldvogel.mongo.bson.Document;
import de.bwaldvogel.mongo.exception.MongoServerError;
import de.bwaldvogel.mongo.wire.message.MongoMessage;
import io.netty.channel.Channel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

/**
 * A MongoDB in this process, with change streams. It can be stopped and started again with its
 * data, demand a user (mechanism PLAIN), and fail commands.
 */
final class MongoTestServer implements AutoCloseable {
  /** A command as the server received it. */
  record Command(String name, String collection) {}

  private final Backend backend = new Backend();
  private MongoServer server;
  private int port;

  private volatile Predicate<Command> failing = command -> false;
  private volatile String credentials = "";
  private volatile boolean readOnly;

  static MongoTestServer start() {
    MongoTestServer started = new MongoTestServer();
    started.backend.enableOplog();
    started.restart();
    return started;
  }

  /** Starts it again on its port. */
  synchronized void restart() {
    server = new MongoServer(backend);
    server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    port = server.getLocalAddress().getPort();
  }

  /** Stops it at once, as if it was killed; the data stays. */
  synchronized void kill() {
    server.shutdownNow();
  }

  String uri() {
    return "mongodb://127.0.0.1:" + port + "/?serverSelectionTimeoutMS=3000";
  }

  String uri(String user, String password) {
    return "mongodb://"
        + user
        + ":"
        + password
        + "@127.0.0.1:"
        + port
        + "/?authMechanism=PLAIN&authSource=$external&serverSelectionTimeoutMS=3000";
  }

  /** Demands a user from now on, also of existing connections. */
  void demand(String user, String password) {
    credentials = user + "\0" + password;
    backend.known.clear();
  }

  void allowReadingOnly(boolean value) {
    readOnly = value;
  }

  /** Fails the commands that match. */
  void failIf(Predicate<Command> condition) {
    failing = condition;
  }

  @Override
  public void close() {
    kill();
  }

  private final class Backend extends MemoryBackend {
    private static final Set<String> HANDSHAKE =
        Set.of("ismaster", "isMaster", "hello", "saslStart", "buildInfo", "endSessions", "ping");
    private static final Set<String> READS =
        Set.of("find", "aggregate", "getMore", "killCursors", "count");

    private final Set<Channel> known = ConcurrentHashMap.newKeySet();

    @Override
    public Document handleCommand(Channel channel, String database, String name, Document query) {
      return name.equals("saslStart")
          ? authenticate(channel, query)
          : super.handleCommand(channel, database, name, query);
    }

    @Override
    public Document handleMessage(MongoMessage message) {
      Document query = message.getDocument();
      String name = query.keySet().iterator().next();
      if (name.equals("saslStart")) {
        return authenticate(message.getChannel(), query);
      }
      check(message.getChannel(), new Command(name, String.valueOf(query.get(name))));
      return super.handleMessage(message);
    }

    private void check(Channel channel, Command command) {
      boolean handshake = HANDSHAKE.contains(command.name());
      boolean forbidden = readOnly && !READS.contains(command.name());
      if (!handshake && ((!credentials.isEmpty() && !known.contains(channel)) || forbidden)) {
        throw new MongoServerError(13, "Unauthorized", "not authorized to run " + command.name());
      }
      if (failing.test(command)) {
        throw new MongoServerError(2, "BadValue", "the test fails " + command.name());
      }
    }

    private Document authenticate(Channel channel, Document query) {
      byte[] payload =
          query.get("payload") instanceof BinData data
              ? data.getData()
              : (byte[]) query.get("payload");
      if (!new String(payload, StandardCharsets.UTF_8).endsWith("\0" + credentials)) {
        throw new MongoServerError(18, "AuthenticationFailed", "Authentication failed.");
      }
      known.add(channel);
      return new Document("conversationId", 1)
          .append("done", true)
          .append("payload", new BinData(new byte[0]))
          .append("ok", 1.0);
    }

    /** Called when the server stops. */
    @Override
    public void close() {}
  }
}
