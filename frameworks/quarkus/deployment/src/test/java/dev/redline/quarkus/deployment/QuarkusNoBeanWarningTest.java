package dev.redline.quarkus.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.core.RateLimit;
import io.quarkus.test.QuarkusUnitTest;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class QuarkusNoBeanWarningTest {
  @RegisterExtension
  static final QuarkusUnitTest APPLICATION =
      new QuarkusUnitTest()
          .withApplicationRoot(
              root -> root.addClasses(QuarkusNoBeanWarningTest.class, BuildLog.class))
          .setLogRecordPredicate(BuildLog::isWarning)
          .assertLogRecords(
              records ->
                  assertThat(BuildLog.messages(records))
                      .singleElement()
                      .asString()
                      .startsWith(Forgotten.class.getName() + " has @RateLimit, but is no bean"));

  @Inject ChildBean bean;

  /** Has a limit and no scope. */
  public static class Forgotten {
    @RateLimit("1/h")
    public String call() {
      return "called";
    }
  }

  /** Cannot be a bean itself. */
  public abstract static class Template {
    @RateLimit("1/h")
    public String call() {
      return "called";
    }
  }

  /** A subclass of it is a bean. */
  public static class Parent {
    @RateLimit("1/h")
    public String call() {
      return "called";
    }
  }

  /** Inherits a limit. */
  @ApplicationScoped
  public static class ChildBean extends Parent {}

  @Test
  void limitOnAClassThatIsNoBeanIsABuildWarning() {
    assertThat(new Forgotten().call()).isEqualTo("called");
    assertThat(bean.call()).isEqualTo("called");
  }
}
