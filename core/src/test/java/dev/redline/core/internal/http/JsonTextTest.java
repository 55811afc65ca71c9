package dev.redline.core.internal.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class JsonTextTest {
  private static String quoted(String text) {
    return JsonText.quote(new StringBuilder(), text).toString();
  }

  @Test
  void plainTextIsOnlyQuoted() {
    assertThat(quoted("")).isEqualTo("\"\"");
    assertThat(quoted("per-ip/ü€ \u2028\u007f")).isEqualTo("\"per-ip/ü€ \u2028\u007f\"");
  }

  @Test
  void quotesAndBackslashesAreEscaped() {
    assertThat(quoted("a\"b\\c")).isEqualTo("\"a\\\"b\\\\c\"");
  }

  @Test
  void controlCharactersAreEscaped() {
    assertThat(quoted("\b\f\n\r\t\0\u001f")).isEqualTo("\"\\b\\f\\n\\r\\t\\u0000\\u001f\"");
  }

  @Test
  void wholeSurrogatePairsStayAndHalvesAreEscaped() {
    assertThat(quoted("a😀b")).isEqualTo("\"a😀b\"");
    assertThat(quoted("\ud83dx")).isEqualTo("\"\\ud83dx\"");
    assertThat(quoted("\ude00\ud83d")).isEqualTo("\"\\ude00\\ud83d\"");
    assertThat(quoted("\ud83d😀")).isEqualTo("\"\\ud83d😀\"");
  }

  @Test
  void appendsToWhatIsThere() {
    assertThat(JsonText.quote(new StringBuilder("["), "x")).hasToString("[\"x\"");
  }
}
