package dev.redline.server.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.testkit.redis.RedisBinary;
import dev.redline.testkit.redis.RedisServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The Java blocks of README and docs/library.md compile, run, and print the documented output. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LibraryDocumentTest {
  private static final Path ROOT = Path.of("..");
  private static final Path LIBRARY = ROOT.resolve("docs/library.md");

  private static RedisServer redis;

  @TempDir Path folder;

  @BeforeAll
  static void start() {
    redis = RedisServer.start(RedisBinary.any());
  }

  @AfterAll
  static void stop() {
    redis.close();
  }

  static List<JavaBlock> blocks() throws IOException {
    List<JavaBlock> blocks = new ArrayList<>(JavaBlock.of(ROOT.resolve("README.md")));
    blocks.addAll(JavaBlock.of(LIBRARY));
    return blocks;
  }

  @ParameterizedTest
  @MethodSource("blocks")
  void javaBlocksRunAndPrintTheDocumentedOutput(JavaBlock block) throws Exception {
    Path rules = folder.resolve("rules.yaml");
    Files.writeString(rules, yaml());
    List<String> printed =
        block
            .with("redis://localhost:6379", redis.uri())
            .with("Path.of(\"rules.yaml\")", "Path.of(\"" + rules + "\")")
            .run(folder);
    assertThat(block.promised()).isNotEmpty();
    assertThat(printed).isEqualTo(block.promised());
  }

  @Test
  void documentHasABlockForEverySubject() throws IOException {
    assertThat(JavaBlock.of(LIBRARY)).hasSize(8);
    assertThat(JavaBlock.of(ROOT.resolve("README.md"))).hasSize(2);
  }

  private static String yaml() throws IOException {
    Matcher block =
        Pattern.compile("(?ms)^```yaml\\n(.*?)^```$").matcher(Files.readString(LIBRARY));
    assertThat(block.find()).isTrue();
    return block.group(1);
  }
}
