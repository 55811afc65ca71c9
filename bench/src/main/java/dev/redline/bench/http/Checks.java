package dev.redline.bench.http;

import dev.redline.bench.ZipfKeys;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Requests to the service, encoded beforehand: 1000 callers on 1000 paths.
 *
 * @param decisions how many decisions each request asks for
 * @param requests the bytes of the requests
 */
record Checks(int decisions, List<byte[]> requests) {
  private static final int CALLERS = 1000;

  /** Returns requests for one decision each. */
  static Checks single() {
    List<byte[]> requests = new ArrayList<>();
    for (int caller = 0; caller < CALLERS; caller++) {
      requests.add(post("/v1/check", check(caller)));
    }
    return new Checks(1, requests);
  }

  /** Returns requests for several decisions each, on different buckets. */
  static Checks batches(int size) {
    List<byte[]> requests = new ArrayList<>();
    for (int first = 0; first < CALLERS; first += size) {
      StringBuilder body = new StringBuilder("{\"checks\":[");
      for (int i = 0; i < size; i++) {
        body.append(i == 0 ? "" : ",").append(check((first + i) % CALLERS));
      }
      requests.add(post("/v1/check/batch", body.append("]}").toString()));
    }
    return new Checks(size, requests);
  }

  /** Returns batches of callers drawn by Zipf's law with exponent 1, some of them repeatedly. */
  static Checks skewedBatches(int size) {
    ZipfKeys zipf = new ZipfKeys(CALLERS, 1.0);
    SplittableRandom random = new SplittableRandom(size);
    List<byte[]> requests = new ArrayList<>();
    for (int i = 0; i < CALLERS; i++) {
      String checks =
          IntStream.range(0, size)
              .mapToObj(each -> check(zipf.draw(random)))
              .collect(Collectors.joining(","));
      requests.add(post("/v1/check/batch", "{\"checks\":[" + checks + "]}"));
    }
    return new Checks(size, requests);
  }

  private static String check(int caller) {
    return "{\"request\":{\"path\":\"/api/orders/%d\",\"method\":\"GET\",\"clientIp\":\"10.0.%d.%d\"}}"
        .formatted(caller, caller / 250, caller % 250);
  }

  private static byte[] post(String path, String body) {
    return ("POST "
            + path
            + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: "
            + body.length()
            + "\r\n\r\n"
            + body)
        .getBytes(StandardCharsets.US_ASCII);
  }
}
