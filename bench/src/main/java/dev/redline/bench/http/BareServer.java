package dev.redline.bench.http;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpVersion;
import java.nio.charset.StandardCharsets;

/**
 * The baseline of an HTTP service: reads a whole request and responds with a constant of the size
 * of a decision. It has the same transport and number of event loops as the service.
 */
public final class BareServer {
  /** The command that runs the server on a port. */
  public static final String COMMAND = "bare-server";

  private static final int LARGEST_BODY = 1 << 20;
  private static final byte[] RESPONSE =
      """
      {"allowed":true,"reason":"ALLOWED","ruleSetId":"default","ruleId":"per-ip","band":"per-ip",\
      "limit":1000000000,"remaining":999999999,"resetAtMs":1763230059412}"""
          .getBytes(StandardCharsets.UTF_8);

  private BareServer() {}

  /** Serves until the process ends. */
  public static void run(int port) throws InterruptedException {
    boolean epoll = Epoll.isAvailable();
    IoHandlerFactory io = epoll ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
    EventLoopGroup loops =
        new MultiThreadIoEventLoopGroup(Runtime.getRuntime().availableProcessors(), io);
    Channel listening =
        new ServerBootstrap()
            .group(loops)
            .channel(epoll ? EpollServerSocketChannel.class : NioServerSocketChannel.class)
            .childHandler(new Pipeline())
            .bind("127.0.0.1", port)
            .sync()
            .channel();
    listening.closeFuture().sync();
  }

  private static final class Pipeline extends ChannelInitializer<SocketChannel> {
    @Override
    protected void initChannel(SocketChannel channel) {
      channel
          .pipeline()
          .addLast(new HttpServerCodec(), new HttpObjectAggregator(LARGEST_BODY), new Constant());
    }
  }

  private static final class Constant extends SimpleChannelInboundHandler<FullHttpRequest> {
    @Override
    protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) {
      FullHttpResponse response =
          new DefaultFullHttpResponse(
              HttpVersion.HTTP_1_1, HttpResponseStatus.OK, Unpooled.wrappedBuffer(RESPONSE));
      response
          .headers()
          .set(HttpHeaderNames.CONTENT_TYPE, HttpHeaderValues.APPLICATION_JSON)
          .setInt(HttpHeaderNames.CONTENT_LENGTH, RESPONSE.length);
      var unused = context.write(response, context.voidPromise());
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
      context.flush();
    }
  }
}
