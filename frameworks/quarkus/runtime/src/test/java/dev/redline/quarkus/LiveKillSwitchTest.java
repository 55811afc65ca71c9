package dev.redline.quarkus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.application.ApplicationSettings;
import dev.redline.assembly.HostProfile;
import dev.redline.assembly.Plugins;
import dev.redline.assembly.RedlineAssembly;
import io.smallrye.config.SmallRyeConfig;
import io.smallrye.config.SmallRyeConfigBuilder;
import io.smallrye.config.common.MapBackedConfigSource;
import io.vertx.core.Vertx;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;

class LiveKillSwitchTest {
  private static final class ChangingSource extends MapBackedConfigSource {
    private static final long serialVersionUID = 1L;

    ChangingSource(Map<String, String> properties) {
      super("changing", properties, 500);
    }
  }

  @Test
  void followsThePropertyAndIgnoresWhatIsNeitherTrueNorFalse() {
    Map<String, String> properties = new ConcurrentHashMap<>();
    SmallRyeConfig config =
        new SmallRyeConfigBuilder().withSources(new ChangingSource(properties)).build();
    Plugins plugins = Plugins.load(LiveKillSwitchTest.class.getClassLoader());
    ApplicationSettings settings =
        QuarkusOrder.PROPERTIES.parse(Map.of(), plugins, HostProfile.application());
    Vertx vertx = Vertx.vertx();
    try (RedlineAssembly assembly = RedlineAssembly.builder(settings.assembly()).start()) {
      LiveKillSwitch killSwitch = new LiveKillSwitch(config, settings, assembly.engine(), vertx);

      properties.put("rl.enabled", "tru");
      killSwitch.check();
      assertThat(assembly.engine().enabled()).isTrue();
      properties.put("rl.enabled", "False");
      killSwitch.check();
      assertThat(assembly.engine().enabled()).isFalse();
      properties.remove("rl.enabled");
      killSwitch.check();
      assertThat(assembly.engine().enabled()).isTrue();
    } finally {
      vertx.close().toCompletionStage().toCompletableFuture().join();
    }
  }
}
