package dev.redline.rules.documents.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.redline.core.spi.ConfigProvider.Document;
import dev.redline.core.spi.ConfigProvider.Snapshot;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileConfigProviderTest {
  @TempDir private Path directory;

  private static Snapshot load(Path path) throws IOException {
    try (FileConfigProvider provider = new FileConfigProvider(path)) {
      return provider.load().orElseThrow();
    }
  }

  @Test
  void readsFileAsOneDocument() throws IOException {
    Path file = Files.writeString(directory.resolve("any.name"), "rules: []");
    assertThat(load(file).documents()).containsExactly(new Document(file.toString(), "rules: []"));
    assertThat(new FileConfigProvider(file).name()).isEqualTo(file.toString());
  }

  @Test
  void readsRuleFilesOfADirectoryInNameOrder() throws IOException {
    for (String name : new String[] {"c.json", "a.yml", "b.yaml", ".hidden.yaml", "notes.txt"}) {
      Files.writeString(directory.resolve(name), "# " + name);
    }
    Files.createDirectory(directory.resolve("nested.yaml"));
    assertThat(load(directory).documents().stream().map(Document::content))
        .containsExactly("# a.yml", "# b.yaml", "# c.json");
  }

  @Test
  void followsLinksOfAMountedConfigMap() throws IOException {
    Path data = Files.createDirectory(directory.resolve("..data"));
    Files.writeString(data.resolve("rules.yaml"), "rules: []");
    Files.createSymbolicLink(directory.resolve("rules.yaml"), data.resolve("rules.yaml"));
    assertThat(load(directory).documents()).hasSize(1);
  }

  @Test
  void missingPathHoldsNoDocument() throws IOException {
    try (FileConfigProvider missing = new FileConfigProvider(directory.resolve("missing.yaml"));
        FileConfigProvider empty = new FileConfigProvider(directory)) {
      assertThat(missing.load()).isEmpty();
      assertThat(empty.load()).isEmpty();
    }
  }

  @Test
  void versionChangesOnlyWithTheContent() throws IOException {
    Path file = Files.writeString(directory.resolve("a.yaml"), "rules: []");
    String version = load(directory).version();
    assertThat(version).hasSize(64).isEqualTo(load(directory).version());
    Files.writeString(file, "rules: [] ");
    String changed = load(directory).version();
    assertThat(changed).isNotEqualTo(version);
    Files.move(file, directory.resolve("b.yaml"));
    assertThat(load(directory).version()).isNotEqualTo(changed);
  }

  @Test
  void rejectsFileThatIsNotUtf8() throws IOException {
    Path file = Files.write(directory.resolve("a.yaml"), new byte[] {(byte) 0xC3, 0x28});
    assertThatThrownBy(() -> load(directory))
        .isInstanceOf(IOException.class)
        .hasMessage(file + ": not a UTF-8 text");
  }

  @Test
  void rejectsMoreThan32MebibytesBeforeReading() throws IOException {
    Path file = directory.resolve("a.yaml");
    try (var channel =
        Files.newByteChannel(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      channel.position(33L << 20);
      channel.write(ByteBuffer.wrap(new byte[1]));
    }
    assertThatThrownBy(() -> load(file)).hasMessageContaining("larger than 32 MiB");
  }

  @Test
  void rejectsLinkOutOfTheDirectory() throws IOException {
    Path rules = Files.createDirectory(directory.resolve("rules"));
    Files.writeString(rules.resolve("a.yaml"), "rules: []");
    Path unrelated = Files.writeString(directory.resolve("unrelated.yaml"), "password: hunter2");
    Files.createSymbolicLink(rules.resolve("b.yaml"), unrelated);

    try (FileConfigProvider provider = new FileConfigProvider(rules)) {
      assertThatThrownBy(provider::load)
          .isInstanceOf(IOException.class)
          .hasMessageContaining("b.yaml")
          .hasMessageContaining("outside")
          .hasMessageNotContaining("hunter2");
    }
  }
}
