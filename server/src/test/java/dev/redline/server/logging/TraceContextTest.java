package dev.redline.server.logging;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

class TraceContextTest {
  private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
  private static final String SPAN = "00f067aa0ba902b7";

  @ParameterizedTest
  @ValueSource(
      strings = {
        "00-" + TRACE + "-" + SPAN + "-01",
        "00-" + TRACE + "-" + SPAN + "-00",
        "cc-" + TRACE + "-" + SPAN + "-01",
        "cc-" + TRACE + "-" + SPAN + "-01-what-the-future-brings"
      })
  void readsTraceAndSpan(String field) {
    assertThat(TraceContext.parse(field)).isEqualTo(new TraceContext(TRACE, SPAN));
  }

  @ParameterizedTest
  @NullSource
  @ValueSource(
      strings = {
        "",
        "00",
        "00-" + TRACE + "-" + SPAN,
        "00-" + TRACE + "-" + SPAN + "-1",
        "00-" + TRACE + "-" + SPAN + "-01-more",
        "cc-" + TRACE + "-" + SPAN + "-01.more",
        "ff-" + TRACE + "-" + SPAN + "-01",
        "0x-" + TRACE + "-" + SPAN + "-01",
        "00_" + TRACE + "-" + SPAN + "-01",
        "00-" + TRACE + "_" + SPAN + "-01",
        "00-" + TRACE + "-" + SPAN + "_01",
        "00-" + TRACE + "-" + SPAN + "-0x",
        "00-4BF92F3577B34DA6A3CE929D0E0E4736-" + SPAN + "-01",
        "00-4bf92f3577b34da6a3ce929d0e0e473\n-" + SPAN + "-01",
        "00-00000000000000000000000000000000-" + SPAN + "-01",
        "00-" + TRACE + "-0000000000000000-01"
      })
  void ignoresInvalidFields(String field) {
    assertThat(TraceContext.parse(field)).isNull();
  }

  @Test
  void textNamesBothIds() {
    assertThat(new TraceContext(TRACE, SPAN).text())
        .isEqualTo(" traceId=" + TRACE + " spanId=" + SPAN);
  }
}
