package dev.redline.server.data.connection;

import dev.redline.core.internal.http.ProblemDetails;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.codec.http2.Http2ConnectionDecoder;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.AttributeKey;
import io.netty.util.ReferenceCountUtil;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.impl.Http2ServerConnection;
import io.vertx.core.http.impl.HttpServerConnection;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.jspecify.annotations.Nullable;

/**
 * Knows what one connection is doing, and ends it when that takes too long: when the head of a
 * request is late, when no request comes, and when the client does not read its responses.
 *
 * <p>It is the first handler of the connection, so it sees bytes before TLS and HTTP do. Used by
 * the event loop of the connection.
 */
public final class ConnectionGuard extends ChannelDuplexHandler {
  private static final Logger LOG = System.getLogger(ConnectionGuard.class.getName());
  private static final AttributeKey<ConnectionGuard> KEY =
      AttributeKey.valueOf(ConnectionGuard.class, "guard");

  /** How long a connection stays open after its last response, so that the client can read it. */
  private static final long LINGER_MILLIS = 1000;

  /** How many bytes are discarded during that time. */
  private static final int MAX_DISCARDED = 4 << 20;

  /** How many bytes of HTTP/2 bodies are discarded until there is none left to discard. */
  private static final int MAX_DISCARDED_BODIES = 16 << 20;

  /**
   * How long a connection must be quiet to be closed when the service stops; of HTTP/2, how long
   * after the client was asked for no further requests.
   */
  private static final long QUIET_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  private static final int LATE_HEAD_STATUS = 408;

  /** The request whose body is being read, where a malformed body is reported. */
  @FunctionalInterface
  public interface BodyReader {
    /** Ends the request: its body cannot be read. */
    void malformedBody(@Nullable Throwable cause);
  }

  private final Connections connections;
  private final OutboundProgress outbound = new OutboundProgress();
  private final FairReads reads = new FairReads();
  private final Deque<Runnable> heldRequests = new ArrayDeque<>();
  private @Nullable ChannelHandlerContext context;
  private @Nullable HttpConnection http2;
  private @Nullable BodyReader bodyReader;
  private @Nullable String clientSubject;
  private boolean clientSubjectRead;
  private int unanswered;
  private boolean readsMessage;
  private boolean readsHead;
  private boolean lastResponseBegun;
  private boolean lastResponseSent;
  private boolean shutDown;
  private int discarded;
  private int discardingBodies;
  private long discardedOfBodies;
  private long headStartNanos;
  private long drainAnnouncedNanos;
  private long lastActiveNanos = System.nanoTime();

  ConnectionGuard(Connections connections) {
    this.connections = connections;
  }

  /** Returns the guard of a connection. */
  public static ConnectionGuard of(HttpConnection connection) {
    ConnectionGuard guard =
        ((HttpServerConnection) connection).channelHandlerContext().channel().attr(KEY).get();
    if (guard == null) {
      throw new IllegalStateException("the connection was not accepted by a guarded transport");
    }
    return guard;
  }

  private Channel channel() {
    if (context == null) {
      throw new IllegalStateException("the connection is not registered yet");
    }
    return context.channel();
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    context = ctx;
    ctx.channel().attr(KEY).set(this);
    // Also bounds how many pipelined requests are decoded before the first is answered.
    ctx.channel().config().setRecvByteBufAllocator(reads);
    ConnectionWatch watch = connections.watch(ctx.channel().eventLoop());
    watch.add(this);
    ctx.channel()
        .closeFuture()
        .addListener(
            closed -> {
              connections.closed();
              watch.remove(this);
              heldRequests.clear();
            });
  }

  /** Sets the protocol of the connection, which is known when TLS is set up or bytes arrived. */
  public void established(HttpConnection connection) {
    readsHead = false;
    // Without a handler Vert.x logs each as an error.
    connection.exceptionHandler(ConnectionGuard::logClientError);
    if (connection instanceof Http2ServerConnection) {
      http2 = connection;
      Http2ConnectionDecoder decoder =
          channel().pipeline().get(Http2ConnectionHandler.class).decoder();
      decoder.frameListener(new Http2Methods(decoder.frameListener()));
      if (connections.isDraining()) {
        announceDrain();
      }
    } else {
      channel().pipeline().addBefore("handler", null, new Http1Messages(this));
    }
  }

  /** Returns whether the connection speaks HTTP/2. */
  public boolean isHttp2() {
    return http2 != null;
  }

  /**
   * Returns the subject of the client's certificate, if it has one; read once, since that is slow.
   */
  public Optional<String> clientSubject() {
    SslHandler tls = channel().pipeline().get(SslHandler.class);
    if (!clientSubjectRead && tls != null) {
      try {
        clientSubject = tls.engine().getSession().getPeerPrincipal().getName();
      } catch (SSLPeerUnverifiedException e) {
        // Without rl.server.tls.client-ca no client is asked for a certificate.
        clientSubject = null;
      }
    }
    clientSubjectRead = true;
    return Optional.ofNullable(clientSubject);
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (lastResponseSent) {
      discard(message);
      return;
    }
    lastActiveNanos = System.nanoTime();
    if (http2 == null && !readsMessage && !readsHead) {
      readsHead = true;
      headStartNanos = lastActiveNanos;
    }
    ctx.fireChannelRead(message);
  }

  private void discard(Object message) {
    discarded += message instanceof ByteBuf bytes ? bytes.readableBytes() : 0;
    ReferenceCountUtil.release(message);
    if (discarded > MAX_DISCARDED) {
      abort();
    }
  }

  // Requests and responses.

  /** Returns how much is read at a time. */
  FairReads reads() {
    return reads;
  }

  /** The head of an HTTP/1 request was read. */
  void headReceived(boolean valid) {
    unanswered++;
    readsHead = false;
    readsMessage = valid;
  }

  /** The last byte of an HTTP/1 request was read. */
  void messageReceived() {
    readsMessage = false;
  }

  /** The body of an HTTP/1 request cannot be read; returns whether its request was notified. */
  boolean malformedBody(@Nullable Throwable cause) {
    BodyReader reader = bodyReader;
    if (reader == null || unanswered > 1) {
      return false;
    }
    bodyReader = null;
    reader.malformedBody(cause);
    return true;
  }

  /** Sets what a malformed body is reported to; null if the body is complete or not needed. */
  public void readBody(@Nullable BodyReader reader) {
    bodyReader = reader;
  }

  /** Counts a request of an HTTP/2 connection; those of HTTP/1 are counted when they are read. */
  public void requestBegun() {
    if (http2 != null) {
      unanswered++;
    }
  }

  /** Counts a response, or a request that was lost. */
  public void requestEnded() {
    unanswered--;
    lastActiveNanos = System.nanoTime();
    // While a request is in progress nothing is read, so the next head could not be completed.
    headStartNanos = lastActiveNanos;
  }

  /** Returns how many requests were received and not answered yet. */
  public int unanswered() {
    return unanswered;
  }

  /** Returns whether requests are ignored, because the last response was begun or sent. */
  public boolean isFinished() {
    return lastResponseBegun;
  }

  /** Makes the response that is being sent the last one: later requests are ignored. */
  public void beginLastResponse() {
    lastResponseBegun = true;
  }

  /**
   * Ends an HTTP/1 connection after its last response. Closing a connection on which unread bytes
   * arrived would reset it, and the client might lose the response: so the outbound half is closed,
   * and the rest follows when the client has closed its half, or after a second.
   */
  public void closeGracefully() {
    if (lastResponseSent) {
      return;
    }
    lastResponseBegun = true;
    lastResponseSent = true;
    Channel channel = channel();
    SslHandler tls = channel.pipeline().get(SslHandler.class);
    if (tls != null) {
      var unused = tls.closeOutbound();
    } else if (channel instanceof DuplexChannel duplex) {
      var unused = duplex.shutdownOutput();
    }
    // A paused connection would never see that the client has closed it.
    channel.config().setAutoRead(true);
    var unused = channel.eventLoop().schedule(this::abort, LINGER_MILLIS, TimeUnit.MILLISECONDS);
  }

  /** Ends the connection at once. */
  public void abort() {
    var unused = channel().close();
  }

  /** Begins to discard an HTTP/2 body that is not needed. */
  public void beginDiscarding() {
    discardingBodies++;
  }

  /** Counts discarded bytes; returns false if the streams of this connection send too many. */
  public boolean discardBody(int bytes) {
    discardedOfBodies += bytes;
    return discardedOfBodies <= MAX_DISCARDED_BODIES;
  }

  /** Such a body has ended, or its stream was reset. */
  public void endDiscarding() {
    discardingBodies--;
    if (discardingBodies == 0) {
      discardedOfBodies = 0;
    }
  }

  // Clients that do not read.

  /** Returns whether responses may be written, which is not the case while many wait already. */
  public boolean isWritable() {
    return channel().isWritable();
  }

  /** Keeps a request until responses may be written again. */
  public void hold(Runnable request) {
    heldRequests.add(request);
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    if (ctx.channel().isWritable() && !heldRequests.isEmpty()) {
      ctx.channel().eventLoop().execute(this::runHeldRequests);
    }
    ctx.fireChannelWritabilityChanged();
  }

  private void runHeldRequests() {
    while (isWritable() && !heldRequests.isEmpty()) {
      heldRequests.remove().run();
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    if (cause instanceof IOException) {
      // The client has gone: Netty closes the channel, which ends its requests.
      logClientError(cause);
      return;
    }
    // Vert.x fails the connection after the response to an invalid request. The client could not
    // read that response if the connection were closed at once.
    if (!lastResponseBegun || http2 != null) {
      ctx.fireExceptionCaught(cause);
    }
  }

  /** Logs what clients can cause at will, so that they cannot fill the log. */
  private static void logClientError(Throwable cause) {
    LOG.log(Level.DEBUG, "a connection failed", cause);
  }

  // Deadlines.

  void checkDeadlines(long nowNanos) {
    ConnectionLimits limits = connections.limits();
    ChannelOutboundBuffer buffer = channel().unsafe().outboundBuffer();
    if (buffer != null
        && outbound.stalledNanos(buffer, nowNanos) >= limits.writeTimeout().toNanos()) {
      // Nothing can be written, so an orderly end is impossible.
      channel().unsafe().close(channel().unsafe().voidPromise());
    } else if (unanswered == 0 && !lastResponseBegun) {
      if (readsHead && nowNanos - headStartNanos >= limits.headTimeout().toNanos()) {
        rejectLateHead();
      } else if (nowNanos - lastActiveNanos >= limits.idleTimeout().toNanos()) {
        abort();
      }
    }
  }

  /** Responds with 408, which HTTP itself would do only after a complete head. */
  private void rejectLateHead() {
    ChannelHandlerContext encoder = channel().pipeline().context("httpEncoder");
    if (encoder == null) {
      abort();
      return;
    }
    beginLastResponse();
    String problem =
        ProblemDetails.of(
                LATE_HEAD_STATUS,
                "the head of the request did not arrive within "
                    + connections.limits().headTimeout().toMillis()
                    + " ms")
            .toJson();
    String response =
        "HTTP/1.1 408 Request Timeout\r\nContent-Type: "
            + ProblemDetails.MEDIA_TYPE
            + "\r\nConnection: close\r\nContent-Length: "
            + problem.length()
            + "\r\n\r\n"
            + problem;
    encoder
        .writeAndFlush(Unpooled.copiedBuffer(response, StandardCharsets.US_ASCII))
        .addListener((ChannelFutureListener) sent -> closeGracefully());
  }

  // The end of the service.

  /** Asks an HTTP/2 client for no further requests; those on their way are still answered. */
  void announceDrain() {
    if (http2 != null) {
      drainAnnouncedNanos = System.nanoTime();
      http2.goAway(0, Integer.MAX_VALUE);
    }
  }

  /** Closes the connection if its client has been quiet and all its requests are answered. */
  void closeIfUnused(long nowNanos) {
    if (shutDown) {
      return;
    }
    if (http2 != null) {
      if (nowNanos - drainAnnouncedNanos >= QUIET_NANOS) {
        shutDown = true;
        http2.goAway(0);
        http2.shutdown(Integer.MAX_VALUE, TimeUnit.MILLISECONDS);
      }
    } else if (unanswered == 0
        && !readsMessage
        && !lastResponseBegun
        && nowNanos - lastActiveNanos >= QUIET_NANOS) {
      shutDown = true;
      abort();
    }
  }
}
