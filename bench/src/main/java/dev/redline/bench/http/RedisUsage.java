package dev.redline.bench.http;

import dev.redline.testkit.redis.RedisServer;

/**
 * What a Redis has done since it was started, by its own count.
 *
 * @param cpuMicros its processor time
 * @param calls how many scripts it ran
 */
record RedisUsage(double cpuMicros, long calls) {
  private static final String CALLS = "calls=";

  static RedisUsage of(RedisServer redis) {
    return parse(
        String.valueOf(redis.command("INFO", "cpu"))
            + '\n'
            + redis.command("INFO", "commandstats"));
  }

  /** Reads the sections cpu and commandstats of INFO. */
  static RedisUsage parse(String info) {
    double seconds = 0;
    long calls = 0;
    for (String line : info.lines().toList()) {
      if (line.startsWith("used_cpu_user:") || line.startsWith("used_cpu_sys:")) {
        seconds += Double.parseDouble(line.substring(line.indexOf(':') + 1).strip());
      } else if (line.startsWith("cmdstat_eval")) {
        int start = line.indexOf(CALLS) + CALLS.length();
        calls += Long.parseLong(line.substring(start, line.indexOf(',', start)));
      }
    }
    return new RedisUsage(seconds * 1e6, calls);
  }

  /** Returns what it has done since an earlier usage. */
  RedisUsage since(RedisUsage earlier) {
    return new RedisUsage(cpuMicros - earlier.cpuMicros, calls - earlier.calls);
  }
}
