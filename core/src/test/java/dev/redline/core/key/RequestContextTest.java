package dev.redline.core.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import org.junit.jupiter.api.Test;

class RequestContextTest {
  @Test
  void pathMethodAndAddressAreBroughtIntoOneForm() {
    RequestContext request =
        RequestContext.builder()
            .path("//a/./b/?q")
            .method("post")
            .clientIp("2001:DB8::0:1")
            .build();
    assertThat(request.path()).contains("/a/b");
    assertThat(request.method()).contains("POST");
    assertThat(request.clientIp()).contains("2001:db8::1");
  }

  @Test
  void emptyValuesAreAbsent() {
    RequestContext request =
        RequestContext.builder()
            .path("")
            .method("")
            .clientIp("")
            .userId("")
            .apiKey(null)
            .header("h", "")
            .attribute("a", null)
            .build();
    assertThat(request.path()).isEmpty();
    assertThat(request.method()).isEmpty();
    assertThat(request.clientIp()).isEmpty();
    assertThat(request.userId()).isEmpty();
    assertThat(request.apiKey()).isEmpty();
    assertThat(request.header("h")).isEmpty();
    assertThat(request.attribute("a")).isEmpty();
    assertThat(request.attributes()).isEmpty();
    assertThat(request.cost()).isEqualTo(1);
  }

  @Test
  void aHeaderKeepsAllItsValues() {
    RequestContext request =
        RequestContext.builder()
            .header("H", "1")
            .header("h", "2")
            .header("h", "")
            .header("H", "1")
            .build();
    assertThat(request.headerValues("h")).containsExactly("1", "2", "1");
    assertThat(request.header("h")).contains("1");
    assertThat(request.headerValues("other")).isEmpty();
  }

  @Test
  void costAndAddressAreChecked() {
    assertThatIllegalArgumentException().isThrownBy(() -> RequestContext.builder().cost(0));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> RequestContext.builder().cost(1_000_000_000_001L));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> RequestContext.builder().clientIp("here"))
        .withMessageContaining("'here'");
  }

  @Test
  void aBuilderIsUsedOnce() {
    RequestContext.Builder builder = RequestContext.builder().path("/");
    builder.build();
    assertThatIllegalStateException().isThrownBy(builder::build);
  }

  @Test
  void textContainsNoIdentities() {
    RequestContext request =
        RequestContext.builder().path("/x").userId("alice").apiKey("secret").build();
    assertThat(request.toString()).contains("/x").doesNotContain("alice").doesNotContain("secret");
  }
}
