package dev.redline.server.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.core.spi.ConfigProvider.Document;
import dev.redline.rules.documents.ReadResult;
import dev.redline.rules.documents.reading.RuleDocumentReader;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every rule document that README and docs show. */
class DocumentedRulesTest {
  static Stream<FencedBlock> documents() {
    return FencedBlock.files().stream()
        .flatMap(file -> FencedBlock.checkedIn(file).stream())
        .filter(block -> block.language().equals("yaml"));
  }

  @ParameterizedTest
  @MethodSource("documents")
  void documentedRulesAreValid(FencedBlock block) {
    ReadResult read =
        RuleDocumentReader.withPlaceholders(name -> null)
            .read(List.of(new Document(block.place(), block.text())));
    assertThat(read.errors())
        .as("%s (not a rule document? write ```yaml unchecked)", block.place())
        .isEmpty();
  }
}
