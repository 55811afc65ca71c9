package dev.redline.core.internal.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tag;

@Tag("properties")
class JsonTextPropertiesTest {
  @Provide
  Arbitrary<String> texts() {
    return Arbitraries.strings()
        .withChars("\"\\/\b\f\n\r\tabc\u0000\u001f\u007fü€\ud83d\ude00")
        .all()
        .ofMaxLength(30);
  }

  @Property
  void writtenTextReadsBackThroughUtf8(@ForAll("texts") String text) {
    String json = JsonText.quote(new StringBuilder(), text).toString();
    String received = new String(json.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
    assertThat(read(received)).isEqualTo(text);
  }

  /** Reads a JSON string strictly by the grammar of RFC 8259, section 7. */
  private static String read(String json) {
    assertThat(json).startsWith("\"").endsWith("\"").hasSizeGreaterThan(1);
    StringBuilder text = new StringBuilder();
    int i = 1;
    while (i < json.length() - 1) {
      char c = json.charAt(i++);
      assertThat(c).isGreaterThanOrEqualTo(' ').isNotEqualTo('"');
      if (c != '\\') {
        text.append(c);
        continue;
      }
      char escaped = json.charAt(i++);
      int known = "\"\\/bfnrt".indexOf(escaped);
      if (known >= 0) {
        text.append("\"\\/\b\f\n\r\t".charAt(known));
      } else {
        assertThat(escaped).isEqualTo('u');
        text.append((char) Integer.parseInt(json, i, i + 4, 16));
        i += 4;
      }
    }
    return text.toString();
  }
}
