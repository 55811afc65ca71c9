package dev.redline.server.data.connection;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.ChannelConfig;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.util.UncheckedBooleanSupplier;

/**
 * Bounds how much a connection reads before others get their turn: little, so that it holds few
 * pipelined requests. Only the rest of a body whose length is known is read in larger pieces, none
 * of which goes beyond the body. One object for each connection, used by its event loop.
 */
// Netty's own allocators return the deprecated type, too.
@SuppressWarnings("deprecation")
final class FairReads implements RecvByteBufAllocator {
  /**
   * Some thirty pipelined checks. With 64 KiB, a few hundred connections full of them delayed the
   * other callers by seconds.
   */
  private static final int MAX_BYTES = 1 << 12;

  private static final int MAX_BODY_BYTES = 1 << 16;

  private static final AdaptiveRecvByteBufAllocator LITTLE = little();

  private long bodyBytesLeft;

  private static AdaptiveRecvByteBufAllocator little() {
    AdaptiveRecvByteBufAllocator allocator = new AdaptiveRecvByteBufAllocator(512, 2048, MAX_BYTES);
    allocator.maxMessagesPerRead(1);
    return allocator;
  }

  /** The head of a request was read whose body has so many bytes; 0 if that is not known. */
  void bodyBegins(long bytes) {
    bodyBytesLeft = bytes;
  }

  /** Some bytes of the body were read. */
  void bodyContinues(int bytes) {
    bodyBytesLeft -= bytes;
  }

  /** The body is complete. */
  void bodyEnds() {
    bodyBytesLeft = 0;
  }

  @Override
  public Handle newHandle() {
    return new BodyHandle((ExtendedHandle) LITTLE.newHandle());
  }

  private final class BodyHandle implements ExtendedHandle {
    private final ExtendedHandle little;

    BodyHandle(ExtendedHandle little) {
      this.little = little;
    }

    @Override
    public ByteBuf allocate(ByteBufAllocator allocator) {
      return bodyBytesLeft > MAX_BYTES ? allocator.ioBuffer(guess()) : little.allocate(allocator);
    }

    @Override
    public int guess() {
      return bodyBytesLeft > MAX_BYTES
          ? (int) Math.min(bodyBytesLeft, MAX_BODY_BYTES)
          : little.guess();
    }

    @Override
    public void reset(ChannelConfig config) {
      little.reset(config);
    }

    @Override
    public void incMessagesRead(int count) {
      little.incMessagesRead(count);
    }

    @Override
    public void lastBytesRead(int bytes) {
      little.lastBytesRead(bytes);
    }

    @Override
    public int lastBytesRead() {
      return little.lastBytesRead();
    }

    @Override
    public void attemptedBytesRead(int bytes) {
      little.attemptedBytesRead(bytes);
    }

    @Override
    public int attemptedBytesRead() {
      return little.attemptedBytesRead();
    }

    @Override
    public boolean continueReading() {
      return little.continueReading();
    }

    @Override
    public boolean continueReading(UncheckedBooleanSupplier maybeMoreData) {
      return little.continueReading(maybeMoreData);
    }

    @Override
    public void readComplete() {
      little.readComplete();
    }
  }
}
