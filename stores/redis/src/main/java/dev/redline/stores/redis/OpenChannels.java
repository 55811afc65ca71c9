package dev.redline.stores.redis;

import io.lettuce.core.resource.NettyCustomizer;
import io.netty.channel.Channel;
import io.netty.handler.flush.FlushConsolidationHandler;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Tracks the open connections of a client, to close those to one server: closing the channel makes
 * Lettuce reconnect, closing its connection object does not.
 *
 * <p>Also consolidates flushes: the calls that follow the replies of one read are sent by one write
 * to the socket.
 */
final class OpenChannels implements NettyCustomizer {
  private final Set<Channel> open = ConcurrentHashMap.newKeySet();

  @Override
  public void afterChannelInitialized(Channel channel) {
    channel.pipeline().addFirst(new FlushConsolidationHandler());
    open.add(channel);
    channel.closeFuture().addListener(closed -> open.remove(channel));
  }

  /** Closes the connections to a server, given as {@code host:port}; the client reconnects. */
  void close(String server) {
    for (Channel channel : open) {
      if (leadsTo(channel.remoteAddress(), server)) {
        var unused = channel.close();
      }
    }
  }

  private static boolean leadsTo(SocketAddress remote, String server) {
    return remote instanceof InetSocketAddress address
        && ((address.getHostString() + ":" + address.getPort()).equals(server)
            || (address.getAddress() != null
                && (address.getAddress().getHostAddress() + ":" + address.getPort())
                    .equals(server)));
  }
}
