package dev.redline.rules.documents;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.core.spi.ConfigProvider.Document;
import dev.redline.rules.documents.reading.RuleDocumentReader;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PropertiesParserTest {
  private static ReadResult read(String text) {
    return RuleDocumentReader.withPlaceholders(Map.of("NAME", "per-ip")::get)
        .read(List.of(new Document("rules.properties", text)));
  }

  private static Map<String, Object> map(String yaml) {
    ReadResult read =
        RuleDocumentReader.withoutPlaceholders().read(List.of(new Document("rules.yaml", yaml)));
    assertThat(read.errors()).isEmpty();
    return RuleDocumentWriter.toMap(read.document());
  }

  @Test
  void readsPropertiesLikeYaml() {
    ReadResult read =
        read(
            """
            # rules of the shop
            version=3
            plans[0].id=gold
            plans[0].limit=1/s burst 9
            rules[0].id = ${NAME}
            rules[0].path = /api/**
            rules[0].key[0]: ip
            rules[0].key[1]: header:X-Tenant-Id
            rules[0].limit[0]=10/s
            rules[0].limit[1]=\\
                100/m
            rules[0].match.headers.X-Tenant-Id=a*
            rules[0].metadata[team.name]=caf\\u00e9
            ruleSets[0].id=other
            ruleSets[0].rules[0].id=b
            ruleSets[0].rules[0].bands[0].capacity=5
            ruleSets[0].rules[0].bands[0].refillPeriod=1m
            """);

    assertThat(read.errors()).isEmpty();
    assertThat(RuleDocumentWriter.toMap(read.document()))
        .isEqualTo(
            map(
                """
                version: 3
                plans: [{ id: gold, limit: 1/s burst 9 }]
                rules:
                  - id: per-ip
                    path: /api/**
                    key: [ip, "header:X-Tenant-Id"]
                    limit: [10/s, 100/m]
                    match: { headers: { X-Tenant-Id: "a*" } }
                    metadata: { team.name: café }
                ruleSets:
                  - id: other
                    rules: [{ id: b, bands: [{ capacity: 5, refillPeriod: 1m }] }]
                """));
  }

  @Test
  void reportsMistakesWithTheirLines() {
    ReadResult read = read("\nrules[0].id=a\n# why\nrules[0].limt=1/s\nrules[0].limit=many\n");

    assertThat(read.errors().stream().map(RuleProblem::toString))
        .anySatisfy(line -> assertThat(line).startsWith("rules.properties:4: rule 'a': "))
        .anySatisfy(line -> assertThat(line).startsWith("rules.properties:5: rule 'a': "));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          rules[0].id=a;rules[0].id=b        | 2: | given twice
          rules[1].id=a                      | 1: | without an item [0]
          rules[0]=a;rules[0].id=b           | 2: | goes on where line 1 has a value
          rules[0.id=a                       | 1: | no name of a property
          rules[0].id=\\u00zz                | 1: | not a valid property
          """)
  void rejectsNamesThatFormNoTree(String text, String line, String message) {
    assertThat(read(text.replace(';', '\n')).errors())
        .first()
        .satisfies(
            problem ->
                assertThat(problem.toString())
                    .startsWith("rules.properties:" + line)
                    .contains(message));
  }

  @Test
  void rejectsEmptyFile() {
    assertThat(read("# nothing\n").errors()).hasSize(1);
  }
}
