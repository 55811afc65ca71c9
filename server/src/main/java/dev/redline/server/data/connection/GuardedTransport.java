package dev.redline.server.data.connection;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.ServerChannelRecvByteBufAllocator;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.InternetProtocolFamily;
import io.vertx.core.datagram.DatagramSocketOptions;
import io.vertx.core.net.ClientOptionsBase;
import io.vertx.core.net.NetServerOptions;
import io.vertx.core.spi.transport.Transport;
import java.net.SocketAddress;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;

/**
 * A transport of Vert.x whose servers show every accepted connection to {@link Connections} before
 * Vert.x reads from it. Everything else is done by the original transport.
 *
 * <p>Vert.x itself shows a connection only when its first request or its TLS handshake is complete,
 * which is too late for a limit on connections.
 */
final class GuardedTransport implements Transport {
  private final Transport original;
  private final Connections connections;

  GuardedTransport(Transport original, Connections connections) {
    this.original = original;
    this.connections = connections;
  }

  @Override
  public void configure(NetServerOptions options, boolean domainSocket, ServerBootstrap bootstrap) {
    original.configure(options, domainSocket, bootstrap);
    // Accepts until no connection waits: Acceptor needs to know when that is so.
    bootstrap.option(
        ChannelOption.RECVBUF_ALLOCATOR,
        new ServerChannelRecvByteBufAllocator()
            .respectMaybeMoreData(false)
            .maxMessagesPerRead(Acceptor.MAX_ACCEPTED));
    bootstrap.handler(new Acceptor(connections));
  }

  @Override
  public boolean supportsDomainSockets() {
    return original.supportsDomainSockets();
  }

  @Override
  public boolean supportFileRegion() {
    return original.supportFileRegion();
  }

  @Override
  public boolean isAvailable() {
    return original.isAvailable();
  }

  @Override
  public @Nullable Throwable unavailabilityCause() {
    return original.unavailabilityCause();
  }

  @Override
  public SocketAddress convert(io.vertx.core.net.SocketAddress address) {
    return original.convert(address);
  }

  @Override
  public io.vertx.core.net.@Nullable SocketAddress convert(SocketAddress address) {
    return original.convert(address);
  }

  @Override
  public IoHandlerFactory ioHandlerFactory() {
    return original.ioHandlerFactory();
  }

  @Override
  public EventLoopGroup eventLoopGroup(
      int type, int threads, ThreadFactory threadFactory, int ioRatio) {
    return original.eventLoopGroup(type, threads, threadFactory, ioRatio);
  }

  @Override
  public DatagramChannel datagramChannel() {
    return original.datagramChannel();
  }

  // The interface of Vert.x has the deprecated type of Netty.
  @SuppressWarnings("deprecation")
  @Override
  public DatagramChannel datagramChannel(InternetProtocolFamily family) {
    return original.datagramChannel(family);
  }

  @Override
  public ChannelFactory<? extends Channel> channelFactory(boolean domainSocket) {
    return original.channelFactory(domainSocket);
  }

  @Override
  public ChannelFactory<? extends ServerChannel> serverChannelFactory(boolean domainSocket) {
    return original.serverChannelFactory(domainSocket);
  }

  @Override
  public void configure(DatagramChannel channel, DatagramSocketOptions options) {
    original.configure(channel, options);
  }

  @Override
  public void configure(
      ClientOptionsBase options, int connectTimeout, boolean domainSocket, Bootstrap bootstrap) {
    original.configure(options, connectTimeout, domainSocket, bootstrap);
  }
}
