package dev.redline.server.data.connection;

import io.netty.channel.ChannelOutboundBuffer;

/**
 * Whether a client reads what is sent to it. Bytes that stay in the outbound buffer are a stall if
 * none of them was written since the last look. Used by one thread.
 */
final class OutboundProgress {
  private int messageHash;
  private long written;
  private long pendingBytes;
  private long sinceNanos;

  /** Returns for how long nothing was written although something is to be written. */
  long stalledNanos(ChannelOutboundBuffer buffer, long nowNanos) {
    int currentHash = System.identityHashCode(buffer.current());
    long bytes = buffer.totalPendingWriteBytes();
    long progress = buffer.currentProgress();
    if (bytes == 0 || currentHash != messageHash || progress != written || bytes < pendingBytes) {
      sinceNanos = nowNanos;
    }
    messageHash = currentHash;
    written = progress;
    pendingBytes = bytes;
    return nowNanos - sinceNanos;
  }
}
