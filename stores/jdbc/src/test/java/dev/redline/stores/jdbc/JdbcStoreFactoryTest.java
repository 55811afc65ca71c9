package dev.redline.stores.jdbc;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.redline.core.internal.settings.FlatProperties;
import dev.redline.core.settings.InvalidSettingsException;
import java.util.Map;
import org.junit.jupiter.api.Test;

class JdbcStoreFactoryTest {
  @Test
  void rejectsUrlOfAnotherDatabaseWithoutShowingIt() {
    FlatProperties properties =
        new FlatProperties(Map.of("rl.jdbc.url", "jdbc:mysql://h/x?password=s3cret"));

    new JdbcStoreFactory().read(properties, true);

    assertThatThrownBy(properties::finish)
        .isInstanceOf(InvalidSettingsException.class)
        .hasMessageContaining("rl.jdbc.url")
        .hasMessageContaining("jdbc:postgresql://HOST/DATABASE")
        .hasMessageNotContaining("s3cret");
  }
}
