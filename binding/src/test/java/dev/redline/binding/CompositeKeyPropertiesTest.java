package dev.redline.binding;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.core.LimitCheck.CallLimit;
import dev.redline.core.internal.key.IdentityScheme;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tag;
import net.jqwik.api.Tuple;

/** Two different keys never share a bucket, for any values. */
@Tag("properties")
class CompositeKeyPropertiesTest {
  /** Short texts of few characters, among them those that separate and escape. */
  @Provide
  Arbitrary<List<String>> values() {
    Arbitrary<String> hostile =
        Arbitraries.strings().withChars(":x+n1#'{} a").ofMinLength(1).ofMaxLength(6);
    Arbitrary<String> longer =
        Arbitraries.strings().withChars("ab").ofMinLength(250).ofMaxLength(260);
    return Arbitraries.frequencyOf(Tuple.of(9, hostile), Tuple.of(1, longer))
        .list()
        .ofMinSize(1)
        .ofMaxSize(3);
  }

  private static String identity(List<String> values, boolean underPlan) {
    List<CallKey.Part> parts =
        values.stream().map(value -> (CallKey.Part) new Constant(value)).toList();
    return new CallKey(parts, underPlan).identity(TestCall.of(new Object(), "toString"));
  }

  private record Constant(String value) implements CallKey.Part {
    @Override
    public String identity(Call call) {
      return IdentityScheme.named(value);
    }

    @Override
    public String planKey(Call call) {
      return value;
    }

    @Override
    public boolean needsRequest() {
      return false;
    }
  }

  @Property(tries = 2000)
  void differentKeysAreDifferentBuckets(
      @ForAll("values") List<String> a,
      @ForAll("values") List<String> b,
      @ForAll boolean underPlan) {
    assertThat(identity(a, underPlan).equals(identity(b, underPlan))).isEqualTo(a.equals(b));
  }

  @Property(tries = 1000)
  void noKeyIsNoneOfThem(@ForAll("values") List<String> values, @ForAll boolean underPlan) {
    assertThat(identity(values, underPlan)).isNotEqualTo(CallLimit.NO_KEY).isNotEmpty();
  }

  @Property(tries = 1000)
  void aKeyUnderAPlanIsThatOfTheLibrary(@ForAll("values") List<String> values) {
    String single = values.get(0);
    assertThat(identity(List.of(single), true)).isEqualTo(IdentityScheme.ofPlanKey(single));
    String joined = identity(values, true);
    if (values.size() > 1) {
      assertThat(IdentityScheme.ofPlanKey(joined))
          .as("a text that looks like a composite key is another key")
          .isNotEqualTo(joined);
    }
  }
}
