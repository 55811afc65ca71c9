package dev.redline.server.hostile;

import java.nio.charset.StandardCharsets;
import java.util.Random;

/** Makes bodies of checks: valid ones, odd ones, and both with damaged bytes. */
final class BodyGenerator {
  private static final String[] NAMES = {
    "request",
    "ruleSetId",
    "ruleId",
    "identity",
    "plans",
    "key",
    "cost",
    "dryRun",
    "limit",
    "exceptRuleSets",
    "bands",
    "path",
    "method",
    "clientIp",
    "userId",
    "apiKey",
    "headers",
    "attributes",
    "checks",
    "capacity",
    "window",
    "refillPeriod",
    "Authorization",
    "X-A",
    "tier",
    "",
    "\\u0000"
  };
  private static final String[] VALUES = {
    "null",
    "true",
    "false",
    "0",
    "1",
    "-1",
    "1e400",
    "1.5",
    "1000000000001",
    "99999999999999999999",
    "\"\"",
    "\"x\"",
    "\"gold\"",
    "\"per-ip\"",
    "\"/api/x\"",
    "\"/t/%2e%2e/a\"",
    "\"192.0.2.1\"",
    "\"::1\"",
    "\"GET\"",
    "\"10/s\"",
    "\"\\ud800\"",
    "\"\u00e9\u4e2d\"",
    "\"Bearer a.b.c\"",
    "\"Bearer eyJhbGciOiJub25lIn0.e30.\"",
    "[]",
    "{}",
    "[\"gold\"]",
    "[\"a\",\"b\"]",
    "[null]",
    "{\"X-A\":[\"1\",\"2\"]}"
  };
  private static final String[] VALID = {
    "{\"request\":{\"path\":\"/api/x\",\"clientIp\":\"192.0.2.1\"}}",
    "{\"request\":{\"path\":\"/t/a\",\"headers\":{\"X-A\":\"1\"},\"userId\":\"u\"},\"dryRun\":true}",
    "{\"ruleId\":\"per-ip\",\"identity\":\"192.0.2.7\",\"cost\":2}",
    "{\"ruleId\":\"mine\",\"identity\":\"x\",\"limit\":\"10/s burst 5\"}",
    "{\"plans\":[\"gold\"],\"key\":\"user:1\"}",
    "{\"checks\":[{\"plans\":[\"gold\"],\"key\":\"k\"},{\"request\":{}},{}]}"
  };

  private final Random random;

  BodyGenerator(Random random) {
    this.random = random;
  }

  byte[] next() {
    String text =
        switch (random.nextInt(4)) {
          case 0 -> VALID[random.nextInt(VALID.length)];
          case 1 -> "{\"checks\":[" + object(0) + "," + object(0) + "]}";
          default -> object(0);
        };
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return random.nextInt(3) == 0 ? damaged(bytes) : bytes;
  }

  private String object(int depth) {
    StringBuilder out = new StringBuilder("{");
    int fields = random.nextInt(4);
    for (int i = 0; i < fields; i++) {
      out.append(i == 0 ? "" : ",").append('"').append(NAMES[random.nextInt(NAMES.length)]);
      out.append("\":").append(value(depth));
    }
    return out.append('}').toString();
  }

  private String value(int depth) {
    int kind = random.nextInt(depth > 3 ? 6 : 10);
    if (kind == 9) {
      return "[" + value(depth + 1) + "," + value(depth + 1) + "]";
    }
    return kind >= 6 ? object(depth + 1) : VALUES[random.nextInt(VALUES.length)];
  }

  private byte[] damaged(byte[] bytes) {
    byte[] damaged = bytes.clone();
    for (int i = random.nextInt(3); i >= 0 && damaged.length > 0; i--) {
      int at = random.nextInt(damaged.length);
      switch (random.nextInt(3)) {
        case 0 -> damaged[at] = (byte) random.nextInt(256);
        case 1 -> damaged = java.util.Arrays.copyOf(damaged, at);
        default -> damaged[at] ^= (byte) (1 << random.nextInt(8));
      }
    }
    return damaged;
  }
}
