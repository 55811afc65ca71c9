package dev.redline.core.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class KeyFieldTest {
  @ParameterizedTest
  @CsvSource({
    "global, global",
    "GLOBAL, global",
    "ip, ip",
    "PER_IP, ip",
    "userId, userId",
    "USER_ID, userId",
    "user-id, userId",
    "user, userId",
    "PER_USER, userId",
    "apiKey, apiKey",
    "api_key, apiKey",
    "PER_API_KEY, apiKey",
    "path, path",
    "method, method",
    "header:X-Tenant-Id, header:X-Tenant-Id",
    "'header: X-Tenant-Id ', header:X-Tenant-Id",
    "attribute:tenant, attribute:tenant",
    "path:id, path:id"
  })
  void understandsTheSpellingsOfTheRuleLanguage(String text, String canonical) {
    assertThat(KeyField.parse(text)).hasToString(canonical);
    assertThat(KeyField.parse(canonical)).isEqualTo(KeyField.parse(text));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "cookie:x", "header", "attribute", "ip:4", "tenant"})
  void rejectsUnknownFieldAndListsWhatIsAllowed(String text) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> KeyField.parse(text))
        .withMessageContaining("'" + text + "'")
        .withMessageContaining("header:NAME");
  }

  @ParameterizedTest
  @ValueSource(strings = {"header:", "attribute: ", "path:"})
  void rejectsFieldWithoutItsName(String text) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> KeyField.parse(text))
        .withMessageContaining("a name must follow");
  }

  @Test
  void noTwoKindsShareALetter() {
    assertThat(Arrays.stream(KeyField.Kind.values()).map(KeyField.Kind::letter))
        .doesNotHaveDuplicates()
        .doesNotContain('c', 'n', 'x');
  }
}
