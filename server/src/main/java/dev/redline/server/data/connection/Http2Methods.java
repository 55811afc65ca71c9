package dev.redline.server.data.connection;

import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2FrameListener;
import io.netty.handler.codec.http2.Http2FrameListenerDecorator;
import io.netty.handler.codec.http2.Http2Headers;

/**
 * Resets the streams of an HTTP/2 connection whose method is not a token. Vert.x would close the
 * connection for it, and the other requests on it would be lost.
 */
final class Http2Methods extends Http2FrameListenerDecorator {
  Http2Methods(Http2FrameListener vertx) {
    super(vertx);
  }

  @Override
  public void onHeadersRead(
      ChannelHandlerContext ctx,
      int streamId,
      Http2Headers headers,
      int streamDependency,
      short weight,
      boolean exclusive,
      int padding,
      boolean endStream)
      throws Http2Exception {
    checkMethod(streamId, headers);
    super.onHeadersRead(
        ctx, streamId, headers, streamDependency, weight, exclusive, padding, endStream);
  }

  @Override
  public void onHeadersRead(
      ChannelHandlerContext ctx, int streamId, Http2Headers headers, int padding, boolean endStream)
      throws Http2Exception {
    checkMethod(streamId, headers);
    super.onHeadersRead(ctx, streamId, headers, padding, endStream);
  }

  private static void checkMethod(int streamId, Http2Headers headers) throws Http2Exception {
    CharSequence method = headers.method();
    try {
      if (method != null) {
        var unused = HttpMethod.valueOf(method.toString());
      }
    } catch (IllegalArgumentException e) {
      throw Http2Exception.streamError(
          streamId, Http2Error.PROTOCOL_ERROR, e, "the method is not a token");
    }
  }
}
