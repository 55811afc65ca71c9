package dev.redline.stores.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;

/** A script with a deliberate mistake: part of its text is replaced. */
final class Mutation {
  private String text;

  private Mutation(Script script) {
    this.text = new String(script.text(), StandardCharsets.UTF_8);
  }

  static Mutation of(Script script) {
    return new Mutation(script);
  }

  /** Replaces a text that occurs exactly once. */
  Mutation replace(String original, String mistake) {
    int at = text.indexOf(original);
    assertThat(at).as("the script contains: " + original).isNotNegative();
    assertThat(text.indexOf(original, at + 1)).as("only once: " + original).isNegative();
    text = text.substring(0, at) + mistake + text.substring(at + original.length());
    return this;
  }

  private Script script() {
    return Script.of(text.getBytes(StandardCharsets.UTF_8));
  }

  Protocol ofAcquire() {
    Protocol current = Protocol.CURRENT;
    return new Protocol(
        script(), current.acquireOne(), current.refund(), current.refundLast(), current.layout());
  }

  Protocol ofAcquireOne() {
    Protocol current = Protocol.CURRENT;
    return new Protocol(
        current.acquire(), script(), current.refund(), current.refundLast(), current.layout());
  }

  Protocol ofRefund() {
    Protocol current = Protocol.CURRENT;
    return new Protocol(
        current.acquire(), current.acquireOne(), script(), current.refundLast(), current.layout());
  }

  Protocol ofRefundLast() {
    Protocol current = Protocol.CURRENT;
    return new Protocol(
        current.acquire(), current.acquireOne(), current.refund(), script(), current.layout());
  }
}
