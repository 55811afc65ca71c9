package dev.redline.quarkus.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.core.RateLimit;
import io.quarkus.arc.processor.BeanArchives;
import java.io.IOException;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.concurrent.ConcurrentHashMap;
import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.Index;
import org.jboss.jandex.IndexView;
import org.junit.jupiter.api.Test;

/** Limits on types of libraries that Quarkus does not index. */
class LimitIndexTest {
  interface LimitedByLibrary {
    @RateLimit("1/h")
    void buy();
  }

  @Retention(RetentionPolicy.RUNTIME)
  @RateLimit("1/h")
  @interface LibraryLimit {}

  static class Buyer implements LimitedByLibrary {
    @Override
    public void buy() {}
  }

  static class Seller {
    @LibraryLimit
    public void sell() {}

    public void give() {}
  }

  static class Visitor {
    @Override
    public String toString() {
      return "visitor";
    }
  }

  private static IndexView application() throws IOException {
    return BeanArchives.buildComputingBeanArchiveIndex(
        LimitIndexTest.class.getClassLoader(),
        new ConcurrentHashMap<>(),
        Index.of(Buyer.class, Seller.class, Visitor.class));
  }

  @Test
  void limitsOfLibrariesAreFound() throws IOException {
    IndexView index = application();
    LimitIndex limits = new LimitIndex(index);
    ClassInfo buyer = index.getClassByName(Buyer.class);
    ClassInfo seller = index.getClassByName(Seller.class);
    ClassInfo visitor = index.getClassByName(Visitor.class);

    assertThat(limits.mayHaveLimits(buyer)).isTrue();
    assertThat(limits.isBoundAsAWhole(buyer)).isTrue();
    assertThat(limits.mayHaveLimits(seller)).isTrue();
    assertThat(limits.isLimited(seller.firstMethod("sell"))).isTrue();
    assertThat(limits.isLimited(seller.firstMethod("give"))).isFalse();
    assertThat(limits.mayHaveLimits(visitor)).isFalse();
  }
}
