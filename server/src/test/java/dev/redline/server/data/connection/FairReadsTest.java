package dev.redline.server.data.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import org.junit.jupiter.api.Test;

class FairReadsTest {
  private static final int LITTLE = 4096;

  private final FairReads reads = new FairReads();

  @SuppressWarnings("deprecation") // the type that connections use
  private final RecvByteBufAllocator.Handle handle = reads.newHandle();

  /** Returns how much the connection reads at most. */
  private int next() {
    ByteBuf buffer = handle.allocate(UnpooledByteBufAllocator.DEFAULT);
    try {
      assertThat(buffer.writableBytes()).isEqualTo(handle.guess());
      return buffer.writableBytes();
    } finally {
      buffer.release();
    }
  }

  @Test
  void readsLargePiecesOfABodyAndNothingBeyondIt() {
    assertThat(next()).isLessThanOrEqualTo(LITTLE);

    reads.bodyBegins(100_000);
    assertThat(next()).isEqualTo(65_536);
    reads.bodyContinues(65_536);
    assertThat(next()).isEqualTo(100_000 - 65_536);
    reads.bodyContinues(31_000);
    assertThat(next()).isLessThanOrEqualTo(LITTLE);

    reads.bodyBegins(1L << 40);
    assertThat(next()).isEqualTo(65_536);
    reads.bodyEnds();
    assertThat(next()).isLessThanOrEqualTo(LITTLE);
  }
}
