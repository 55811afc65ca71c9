package dev.redline.core.internal.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonParserTest {
  @Test
  void readsAllTypes() {
    assertThat(
            JsonParser.object(
                " {\"s\":\"a\\n\\u00fc\\\"\", \"n\":-1.5e3,\"t\":true,\"f\":false,\"x\":null,"
                    + "\"l\":[1,\"b\",{}],\"o\":{\"i\":[]}}\n"))
        .isEqualTo(
            Map.of(
                "s",
                "a\nü\"",
                "n",
                -1500.0,
                "t",
                true,
                "f",
                false,
                "l",
                List.of(1.0, "b", Map.of()),
                "o",
                Map.of("i", List.of())));
  }

  @Test
  void readsMembersByType() {
    Map<String, Object> object = JsonParser.objects("[{\"a\":\"x\",\"b\":7}]").get(0);
    assertThat(JsonParser.string(object, "a")).hasValue("x");
    assertThat(JsonParser.string(object, "b")).isEmpty();
    assertThat(JsonParser.number(object, "b")).hasValue(7.0);
    assertThat(JsonParser.number(object, "c")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{",
        "[1]",
        "\"a\"",
        "{\"a\":}",
        "{\"a\" 1}",
        "{\"a\":1,}",
        "{a:1}",
        "{} x",
        "{\"a\":\"\\q\"}",
        "{\"a\":\"\\u12\"}",
        "{\"a\":\"\n\"}",
        "{\"a\":tru}",
        "{\"a\":1-2}"
      })
  void rejectsWhatIsNotAJsonObject(String text) {
    assertThatThrownBy(() -> JsonParser.object(text)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void rejectsDeepNesting() {
    assertThatThrownBy(() -> JsonParser.object("{\"a\":" + "[".repeat(100_000)))
        .hasMessage("nested too deeply");
  }
}
