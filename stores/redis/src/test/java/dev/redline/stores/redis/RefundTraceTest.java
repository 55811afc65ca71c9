package dev.redline.stores.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.testkit.redis.RedisExtension;
import dev.redline.testkit.redis.RedisServer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Refunds on generated traces. Redis runs the store's own scripts; only the clock and the key space
 * are simulated, since a script cannot set the clock.
 */
@Tag("properties")
class RefundTraceTest {
  private static final int AT_ONCE = 10_000;

  @RegisterExtension static final RedisExtension<RedisServer> REDIS = RedisExtension.standalone();

  /** Returns the number of traces that minted tokens, in all and for each kind of band. */
  private static long[] minted(Protocol protocol, int traces) {
    String harness =
        new String(Script.load("traces.lua").text(), StandardCharsets.UTF_8)
            .replace("--acquire.lua--", text(protocol.acquire()))
            .replace("--refund.lua--", text(protocol.refund()));
    long[] total = new long[5];
    for (int seed = 1; seed <= traces / AT_ONCE; seed++) {
      List<?> reply =
          (List<?>)
              REDIS
                  .get()
                  .command(
                      "EVAL", harness, "0", Integer.toString(seed), Integer.toString(AT_ONCE), "3");
      for (int i = 0; i < total.length; i++) {
        total[i] += (Long) reply.get(i);
      }
    }
    return total;
  }

  private static String text(Script script) {
    return new String(script.text(), StandardCharsets.UTF_8).replaceAll("[^\\x00-\\x7F]", "?");
  }

  @Test
  void refundsMintNoTokensIn200000Traces() {
    assertThat(minted(Protocol.CURRENT, 200_000)).containsOnly(0);
  }

  @Test
  void refundOfFullCostMintsTokens() {
    Protocol fullCost =
        Mutation.of(Protocol.CURRENT.refund())
            .replace(
                "local owed, osub = x + price - seen, xsub + psub",
                "local owed, osub = price, psub")
            .ofRefund();
    assertThat(minted(fullCost, AT_ONCE)[0]).isPositive();
  }

  /** Without the log of recent refunds, overlapping refunds mint tokens. */
  @Test
  void refundThatIgnoresOtherRefundsMintsTokens() {
    Protocol heedless =
        Mutation.of(Protocol.CURRENT.refund())
            .replace("x = all and x - since[b] or 0", "")
            .ofRefund();
    assertThat(minted(heedless, 4 * AT_ONCE)[0]).isPositive();
  }
}
