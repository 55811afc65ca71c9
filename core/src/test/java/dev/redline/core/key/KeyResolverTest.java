package dev.redline.core.key;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class KeyResolverTest {
  private static final RequestContext REQUEST =
      RequestContext.builder()
          .path("/u/1")
          .clientIp("0.0.0.1")
          .userId("1")
          .apiKey("1")
          .header("h", "1")
          .attribute("a", "1")
          .build();

  @Test
  void theKindIsPartOfTheIdentity() {
    List<String> identities =
        Stream.of(
                KeyResolver.global(),
                KeyResolver.ip(),
                KeyResolver.userId(),
                KeyResolver.apiKey(),
                KeyResolver.header("h"),
                KeyResolver.attribute("a"),
                KeyResolver.of(KeyField.userId(), KeyField.header("h")))
            .map(resolver -> resolver.resolve(REQUEST))
            .toList();
    assertThat(identities).doesNotContainNull().doesNotHaveDuplicates();
  }

  @Test
  void thePrincipalIsTheUser() {
    assertThat(KeyResolver.principal().resolve(REQUEST))
        .isEqualTo(KeyResolver.userId().resolve(REQUEST));
  }

  @Test
  void aPathVariableIsBoundByItsPattern() {
    assertThat(KeyResolver.pathVariable("/u/{id}", "id").resolve(REQUEST)).isEqualTo("1");
    assertThat(KeyResolver.pathVariable("/v/{id}", "id").resolve(REQUEST)).isNull();
  }

  @Test
  void requestWithoutTheFieldGivesNoKey() {
    RequestContext empty = RequestContext.builder().build();
    assertThat(KeyResolver.userId().resolve(empty)).isNull();
    assertThat(KeyResolver.of(KeyField.ip(), KeyField.userId()).resolve(REQUEST)).isNotNull();
    assertThat(KeyResolver.of(KeyField.ip(), KeyField.userId()).resolve(empty)).isNull();
  }
}
