package dev.redline.bench.http;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Reads HTTP/1.1 responses with a Content-Length and passes their status on. Cheaper than a full
 * codec, because the load generator shares its processors with the server that it measures.
 */
final class ResponseReader extends ByteToMessageDecoder {
  /** Receives the responses of one connection, in order. */
  interface Listener {
    /** Called for each response; {@code last} if the server announced that it will close. */
    void responded(int status, boolean last);

    /** Called once, when the connection is closed. */
    void closed();
  }

  private static final byte[] LENGTH = bytes("\r\ncontent-length: ");
  private static final byte[] CLOSE = bytes("\r\nconnection: close\r\n");
  private static final byte[] END = bytes("\r\n\r\n");
  private static final int STATUS = "HTTP/1.1 ".length();

  private final Listener listener;

  ResponseReader(Listener listener) {
    this.listener = listener;
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  @Override
  protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
    int start = in.readerIndex();
    int head = find(in, start, in.writerIndex(), END);
    if (head < 0) {
      return;
    }
    int headEnd = head + END.length;
    int length = find(in, start, headEnd, LENGTH);
    int size = length < 0 ? 0 : number(in, length + LENGTH.length);
    if (in.writerIndex() - headEnd < size) {
      return;
    }
    int status = number(in, start + STATUS);
    boolean last = find(in, start, headEnd, CLOSE) >= 0;
    in.readerIndex(headEnd + size);
    listener.responded(status, last);
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) throws Exception {
    super.channelInactive(context);
    listener.closed();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    var unused = context.close();
  }

  private static int number(ByteBuf in, int from) {
    int value = 0;
    for (int i = from; in.getByte(i) >= '0' && in.getByte(i) <= '9'; i++) {
      value = value * 10 + in.getByte(i) - '0';
    }
    return value;
  }

  /** Returns the index of some lower-case text in a head, or -1. */
  private static int find(ByteBuf in, int from, int to, byte[] text) {
    for (int i = from; i <= to - text.length; i++) {
      int matched = 0;
      while (matched < text.length && lowerCase(in.getByte(i + matched)) == text[matched]) {
        matched++;
      }
      if (matched == text.length) {
        return i;
      }
    }
    return -1;
  }

  private static int lowerCase(byte c) {
    return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c;
  }
}
