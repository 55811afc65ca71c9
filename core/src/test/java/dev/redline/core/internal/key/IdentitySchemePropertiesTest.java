package dev.redline.core.internal.key;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.core.key.IdentitySettings;
import dev.redline.core.key.KeyField;
import dev.redline.core.key.RequestContext;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Assume;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tag;

/** No two combinations of kinds and values are the same caller. */
@Tag("properties")
class IdentitySchemePropertiesTest {
  /** A key field with the value a request has for it. */
  record Named(KeyField field, String value) {}

  @Provide
  Arbitrary<List<Named>> callers() {
    Arbitrary<KeyField> fields =
        Arbitraries.of(
            KeyField.userId(),
            KeyField.apiKey(),
            KeyField.header("a"),
            KeyField.header("b"),
            KeyField.attribute("a"),
            KeyField.attribute("b"));
    Arbitrary<String> values =
        Arbitraries.of("1", ":", "u", "a", "1:", "u1:", "\0", "é", "a1:1", "10", "x".repeat(300))
            .list()
            .ofMinSize(1)
            .ofMaxSize(4)
            .map(pieces -> String.join("", pieces));
    return Combinators.combine(fields, values).as(Named::new).list().ofMinSize(1).ofMaxSize(3);
  }

  private static String identity(List<Named> caller) {
    RequestContext.Builder request = RequestContext.builder();
    for (Named part : caller) {
      String name = part.field().name();
      switch (part.field().kind()) {
        case USER_ID -> request.userId(part.value());
        case API_KEY -> request.apiKey(part.value());
        case HEADER -> request.header(name, part.value());
        default -> request.attribute(name, part.value());
      }
    }
    List<KeyField> fields = caller.stream().map(Named::field).toList();
    return new IdentityScheme(fields, List.of(), IdentitySettings.DEFAULT)
        .identity(request.build(), false);
  }

  private static List<String> kindsAndValues(List<Named> caller) {
    List<String> parts = new ArrayList<>();
    caller.forEach(part -> parts.addAll(List.of(part.field().kind().name(), part.value())));
    return parts;
  }

  private static boolean namesAFieldTwice(List<Named> caller) {
    return caller.stream().map(Named::field).distinct().count() < caller.size();
  }

  @Property(tries = 5000)
  void distinctCallersHaveDistinctIdentities(
      @ForAll("callers") List<Named> one, @ForAll("callers") List<Named> other) {
    Assume.that(!namesAFieldTwice(one) && !namesAFieldTwice(other));
    assertThat(identity(one).equals(identity(other)))
        .isEqualTo(kindsAndValues(one).equals(kindsAndValues(other)));
  }

  @Property
  void identitiesOfValuesAndOfRequestsAgree(@ForAll("callers") List<Named> caller) {
    Assume.that(!namesAFieldTwice(caller));
    IdentityScheme scheme =
        new IdentityScheme(
            caller.stream().map(Named::field).toList(), List.of(), IdentitySettings.DEFAULT);
    assertThat(scheme.identityOf(caller.stream().map(Named::value).toList()))
        .isEqualTo(identity(caller))
        .hasSizeLessThanOrEqualTo(256);
  }
}
