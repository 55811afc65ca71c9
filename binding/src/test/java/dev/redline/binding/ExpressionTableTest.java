package dev.redline.binding;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.testkit.ExpressionTable;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The table of portable expressions, without a framework. */
class ExpressionTableTest {
  private final ExpressionTable.Recorder recorder = new ExpressionTable.Recorder();
  private final CallPlans plans = CallPlans.builder(recorder).build();
  private final ExpressionTable.Bean bean = new ExpressionTable.Bean();

  static List<ExpressionTable.Row> rows() {
    return ExpressionTable.rows();
  }

  @ParameterizedTest
  @MethodSource("rows")
  void meansTheSameEverywhere(ExpressionTable.Row row) throws Throwable {
    TestCall call = TestCall.of(bean, row.method().getName(), row.arguments());
    call.from(ExpressionTable.request()).invoke(plans);
    assertThat(recorder.last()).isEqualTo(row.expected());
    assertThat(call.proceeded).isEqualTo(1);
  }
}
