package dev.redline.rules.documents.files;

import dev.redline.core.spi.ConfigProvider;
import dev.redline.testkit.RuleSourceContract;
import dev.redline.testkit.RuleSourceUnderTest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.io.TempDir;

/** The source contract for a file, and for a ConfigMap as Kubernetes mounts it. */
class FileSourceContractTest {
  @TempDir Path directory;

  @Nested
  class OneFile implements RuleSourceContract {
    @Override
    public RuleSourceUnderTest newSource() {
      Path file = directory.resolve("rules.yaml");
      return new Subject(file) {
        @Override
        public void write(String document) throws IOException {
          Files.writeString(file, document);
        }

        @Override
        public boolean remove() throws IOException {
          Files.delete(file);
          return true;
        }
      };
    }
  }

  @Nested
  class ConfigMap implements RuleSourceContract {
    @Override
    public RuleSourceUnderTest newSource() throws IOException {
      Path mount = Files.createDirectory(directory.resolve("mount"));
      return new Subject(mount) {
        private int version;

        /** Replaces the link {@code ..data}, as the kubelet does. */
        @Override
        public void write(String document) throws IOException {
          Path data = Files.createDirectory(mount.resolve("..version-" + ++version));
          Files.writeString(data.resolve("rules.yaml"), document);
          Path link = Files.createSymbolicLink(mount.resolve("..new"), data.getFileName());
          Files.move(
              link,
              mount.resolve("..data"),
              StandardCopyOption.ATOMIC_MOVE,
              StandardCopyOption.REPLACE_EXISTING);
          if (Files.notExists(mount.resolve("rules.yaml"))) {
            Files.createSymbolicLink(mount.resolve("rules.yaml"), Path.of("..data", "rules.yaml"));
          }
        }

        @Override
        public boolean remove() throws IOException {
          Files.delete(mount.resolve("rules.yaml"));
          return true;
        }
      };
    }
  }

  private abstract static class Subject implements RuleSourceUnderTest {
    private final FileConfigProvider source;

    Subject(Path path) {
      this.source = new FileConfigProvider(path);
    }

    @Override
    public ConfigProvider source() {
      return source;
    }

    @Override
    public void close() {
      source.close();
    }
  }
}
