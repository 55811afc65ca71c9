package dev.redline.server.data.connection;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

/** The handler of the listening socket: every connection passes it when it is accepted. */
final class Acceptor extends ChannelInboundHandlerAdapter {
  private final Connections connections;

  Acceptor(Connections connections) {
    this.connections = connections;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    connections.listensOn(ctx.channel());
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    Channel connection = (Channel) message;
    if (connections.open()) {
      // First in the pipeline: the guard sees bytes before TLS and HTTP do.
      connection.pipeline().addFirst(new ConnectionGuard(connections));
      ctx.fireChannelRead(connection);
    } else {
      connection.unsafe().closeForcibly();
    }
  }
}
