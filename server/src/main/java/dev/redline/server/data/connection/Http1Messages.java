package dev.redline.server.data.connection;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.PrematureChannelClosureException;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;

/**
 * Counts the messages of an HTTP/1 connection between the decoder and Vert.x, and reports those
 * that Vert.x would close the connection for without a response.
 */
final class Http1Messages extends ChannelInboundHandlerAdapter {
  private final ConnectionGuard guard;

  Http1Messages(ConnectionGuard guard) {
    this.guard = guard;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (message instanceof HttpRequest request) {
      if (request.decoderResult().cause() instanceof PrematureChannelClosureException) {
        // The connection was closed within a head, so no client is left for a response.
        ReferenceCountUtil.release(message);
        return;
      }
      checkVersion(request);
      boolean valid = request.decoderResult().isSuccess();
      if (!valid) {
        // The version of the response; the decoder sets HTTP/1.0 if it does not know.
        request.setProtocolVersion(HttpVersion.HTTP_1_1);
      }
      guard.headReceived(valid);
      guard.reads().bodyBegins(valid ? HttpUtil.getContentLength(request, 0L) : 0);
    }
    if (message instanceof HttpContent content) {
      guard.reads().bodyContinues(content.content().readableBytes());
      DecoderResult result = content.decoderResult();
      if (!result.isSuccess() && guard.malformedBody(result.cause())) {
        ReferenceCountUtil.release(message);
        return;
      }
    }
    if (message instanceof LastHttpContent) {
      guard.messageReceived();
      guard.reads().bodyEnds();
    }
    ctx.fireChannelRead(message);
  }

  /** Makes a request of an unknown version an invalid one. */
  private static void checkVersion(HttpRequest request) {
    HttpVersion version = request.protocolVersion();
    if (request.decoderResult().isSuccess()
        && !version.equals(HttpVersion.HTTP_1_1)
        && !version.equals(HttpVersion.HTTP_1_0)) {
      request.setDecoderResult(
          DecoderResult.failure(new UnsupportedVersionException(version.toString())));
    }
  }
}
