package dev.redline.server.data.connection;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.concurrent.TimeUnit;

/**
 * The handler of the listening socket: every connection passes it when it is accepted. Used by the
 * event loop of that socket, except where noted.
 */
final class Acceptor extends ChannelInboundHandlerAdapter {
  /** How many connections are accepted before the event loop does something else. */
  static final int MAX_ACCEPTED = 16;

  /** How long the socket waits for a moment at which its backlog is known to be empty. */
  private static final long LAST_ACCEPT_MILLIS = 50;

  private final Connections connections;
  private int accepted;
  private boolean stopping;

  Acceptor(Connections connections) {
    this.connections = connections;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    connections.listensOn(ctx.channel(), this);
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    accepted++;
    Channel connection = (Channel) message;
    if (connections.open()) {
      // First in the pipeline: the guard sees bytes before TLS and HTTP do.
      connection.pipeline().addFirst(new ConnectionGuard(connections));
      ctx.fireChannelRead(connection);
    } else {
      connection.unsafe().closeForcibly();
    }
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    // After as many as are accepted at once, more may wait in the backlog.
    boolean isBacklogEmpty = accepted < MAX_ACCEPTED;
    accepted = 0;
    if (stopping && isBacklogEmpty) {
      close(ctx.channel());
    }
    ctx.fireChannelReadComplete();
  }

  /**
   * Closes the listening socket, from any thread. The system resets connections that it has made
   * and this process has not accepted, and their requests are lost: so the socket is closed right
   * after all of them were accepted. If none is on its way, there is no such moment, and no need.
   */
  ChannelFuture stop(Channel listening) {
    listening.eventLoop().execute(() -> stopping = true);
    var unused =
        listening
            .eventLoop()
            .schedule(() -> close(listening), LAST_ACCEPT_MILLIS, TimeUnit.MILLISECONDS);
    return listening.closeFuture();
  }

  private static void close(Channel listening) {
    var unused = listening.close();
  }
}
