package dev.redline.spring.boot.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.core.internal.settings.PropertyDescription;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Keeps the metadata that editors read equal to the properties of the modules. */
class ConfigurationMetadataTest {
  private static final Path FILE =
      Path.of("src/main/resources/META-INF/spring-configuration-metadata.json");
  private static final Path EXPECTED = Path.of("target/spring-configuration-metadata.json");
  private static final String LIST_OF_MAPS =
      "java.util.List<java.util.Map<java.lang.String,java.lang.Object>>";

  @Test
  void metadataIsUpToDate() throws IOException {
    String expected = metadata();
    String present = Files.exists(FILE) ? Files.readString(FILE) : "";
    if (!present.equals(expected)) {
      Files.createDirectories(EXPECTED.getParent());
      Files.writeString(EXPECTED, expected);
    }
    assertThat(present)
        .as(
            "the metadata is stale; run in frameworks/spring-boot-autoconfigure: cp %s %s",
            EXPECTED, FILE)
        .isEqualTo(expected);
  }

  private static String metadata() {
    List<String> entries = new ArrayList<>();
    for (PropertyDescription property : RedlineAutoConfiguration.catalog().descriptions()) {
      if (!property.name().contains("<name>") && !property.name().contains("*")) {
        entries.add(entry(property));
      }
    }
    entries.add(
        entry(
            "rl.filters",
            "java.util.Map<java.lang.String,java.util.Map<java.lang.String,java.lang.Object>>",
            "further filters by name, each with the properties of `rl.filter`",
            ""));
    entries.add(entry("rl.plans", LIST_OF_MAPS, "plans of the rule source `INLINE`", ""));
    entries.add(entry("rl.rules", LIST_OF_MAPS, "rules of the rule source `INLINE`", ""));
    entries.add(entry("rl.rule-sets", LIST_OF_MAPS, "rule sets of the rule source `INLINE`", ""));
    return "{\n  \"groups\": [],\n  \"properties\": [\n"
        + String.join(",\n", entries)
        + "\n  ],\n  \"hints\": []\n}\n";
  }

  private static String entry(PropertyDescription property) {
    String standard = property.unlessSet().replace("`", "");
    String type = "java.lang.String";
    if (standard.equals("true") || standard.equals("false")) {
      type = "java.lang.Boolean";
    } else if (standard.matches("-?[0-9]+")) {
      type = "java.lang.Integer";
    } else if (standard.matches("[0-9]+(ms|s)")) {
      type = "java.time.Duration";
    }
    boolean isValue = standard.matches("[A-Za-z0-9._:/-]+");
    return entry(property.name(), type, property.text(), isValue ? standard : "");
  }

  private static String entry(String name, String type, String text, String standard) {
    StringBuilder entry = new StringBuilder("    {\n");
    entry.append("      \"name\": \"").append(name).append("\",\n");
    entry.append("      \"type\": \"").append(type).append("\",\n");
    entry.append("      \"description\": \"").append(text.replace("\"", "\\\"")).append('"');
    if (!standard.isEmpty()) {
      boolean bare = type.endsWith("Boolean") || type.endsWith("Integer");
      entry.append(",\n      \"defaultValue\": ");
      entry.append(bare ? standard : "\"" + standard + "\"");
    }
    return entry.append("\n    }").toString();
  }
}
