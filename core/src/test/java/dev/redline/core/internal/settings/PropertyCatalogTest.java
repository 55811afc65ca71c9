package dev.redline.core.internal.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Properties of a module that core does not know. */
class PropertyCatalogTest {
  private static final PropertyCatalog CATALOG =
      new PropertyCatalog(
          from -> {
            from.property("rl.shop.open-days", "how many days it is open").number(6, 1, 7);
            from.property("rl.shop.lunch", "how long lunch takes").duration(Duration.ofMillis(50));
            from.property("rl.shop.key", "the key").secret();
            from.describe("rl.shop.tills.<name>.place", "", "where it stands");
            from.namesUnder("rl.shop.tills.")
                .forEach(name -> from.chosen("rl.shop.tills.<name>.place", name).text());
          });

  @Test
  void describesEveryPropertyInOrder() {
    assertThat(CATALOG.descriptions())
        .containsExactly(
            new PropertyDescription("rl.shop.open-days", "6", "how many days it is open"),
            new PropertyDescription("rl.shop.lunch", "50ms", "how long lunch takes"),
            new PropertyDescription(
                "rl.shop.key", "", "the key; or `rl.shop.key-file`: the file that holds it"),
            new PropertyDescription("rl.shop.tills.<name>.place", "", "where it stands"));
  }

  @Test
  void findsPropertiesOfVariables() {
    assertThat(
            CATALOG.environment(
                Map.of(
                    "RL_SHOP_OPEN_DAYS", "5",
                    "RL_SHOP_KEY_FILE", "/key",
                    "RL_SHOP_LUNCH", "",
                    "RL_SHOP_TILLS_NEAR_DOOR_PLACE", "left",
                    "RL_SHOP_TILLS__PLACE", "x",
                    "RL_SHOP_TILLS_PLACE", "x",
                    "RL_NOTHING", "x",
                    "HOME", "/")))
        .containsOnly(
            entry("rl.shop.open-days", "5"),
            entry("rl.shop.key-file", "/key"),
            entry("rl.shop.tills.near_door.place", "left"));
  }

  @Test
  void suggestsVariablesForUnknownOnes() {
    assertThat(
            CATALOG.unknownVariables(
                Map.of(
                    "RL_SHOP_OPENDAY", "5",
                    "RL_SHOP_OPEN_DAYS", "5",
                    "RL_SHOP_TILLS_A_PLACE", "x",
                    "RL_ENTIRELY_DIFFERENT", "x",
                    "PATH", "/bin")))
        .containsOnly(
            entry("RL_SHOP_OPENDAY", Optional.of("RL_SHOP_OPEN_DAYS")),
            entry("RL_ENTIRELY_DIFFERENT", Optional.empty()));
  }
}
