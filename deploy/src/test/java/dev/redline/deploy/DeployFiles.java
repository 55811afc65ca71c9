package dev.redline.deploy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** Reads the files of this folder. */
public final class DeployFiles {
  static final Path ROOT = Path.of("").toAbsolutePath();

  private static final ObjectMapper JSON = new ObjectMapper();

  private DeployFiles() {}

  /** Returns the content of a file. */
  public static String text(String path) {
    try {
      return Files.readString(ROOT.resolve(path));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static JsonNode json(String text) {
    try {
      return JSON.readTree(text);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(text, e);
    }
  }

  /** Returns the documents of a YAML text; empty ones are left out. */
  static List<JsonNode> yaml(String text) {
    List<JsonNode> documents = new ArrayList<>();
    for (Object document : new Load(LoadSettings.builder().build()).loadAllFromString(text)) {
      if (document != null) {
        documents.add(JSON.valueToTree(document));
      }
    }
    return documents;
  }

  /** Returns whether a variable sets a property that docs/properties.md lists. */
  static boolean isKnownVariable(String name) {
    return text("../docs/properties.md")
        .lines()
        .filter(line -> line.startsWith("| `rl."))
        .map(line -> line.substring(3, line.indexOf('`', 3)))
        .map(DeployFiles::variables)
        .anyMatch(variables -> variables.matcher(name).matches());
  }

  /** Returns the names of the variables that set a property, also by a file. */
  private static Pattern variables(String property) {
    String variable = property.toUpperCase(Locale.ROOT).replace('.', '_').replace('-', '_');
    return Pattern.compile(variable.replace("<NAME>", "[A-Z]+") + "(_FILE)?");
  }
}
