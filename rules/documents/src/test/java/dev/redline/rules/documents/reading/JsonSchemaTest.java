package dev.redline.rules.documents.reading;

import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SpecVersion;
import com.networknt.schema.ValidationMessage;
import dev.redline.core.rule.MatchCondition;
import dev.redline.core.rule.RuleMatch;
import dev.redline.rules.documents.Documents;
import dev.redline.rules.documents.RuleDocument;
import dev.redline.rules.documents.RuleDocumentWriter;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** The published JSON Schema agrees with the reader and is never stricter. */
class JsonSchemaTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final JsonNode SCHEMA_TEXT = schemaText();
  private static final JsonSchema SCHEMA =
      JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012).getSchema(SCHEMA_TEXT);

  private static JsonNode schemaText() {
    try (InputStream stream = RuleDocument.class.getResourceAsStream("redline-rules.schema.json")) {
      return JSON.readTree(stream);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static Set<ValidationMessage> complaints(String document) {
    LoadSettings settings =
        LoadSettings.builder().setSchema(new org.snakeyaml.engine.v2.schema.JsonSchema()).build();
    Object value = new Load(settings).loadFromString(document);
    return SCHEMA.validate(JSON.valueToTree(value));
  }

  @ParameterizedTest
  @FieldSource("dev.redline.rules.documents.Samples#GOOD")
  void acceptsDocumentsThatTheReaderAccepts(String document) {
    assertThat(Documents.read(document).errors()).isEmpty();
    assertThat(complaints(document)).isEmpty();
  }

  @ParameterizedTest
  @FieldSource("dev.redline.rules.documents.Samples#BAD_IN_EDITORS")
  void rejectsMistakesThatTheReaderRejects(String document) {
    assertThat(Documents.read(document).errors()).isNotEmpty();
    assertThat(complaints(document)).isNotEmpty();
  }

  @ParameterizedTest
  @FieldSource("dev.redline.rules.documents.Samples#GOOD")
  void acceptsWrittenDocuments(String document) {
    assertThat(complaints(RuleDocumentWriter.toJson(Documents.valid(document)))).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"document", "ruleSet", "plan", "rule", "band"})
  void listsExactlyTheFieldsOfTheReader(String definition) {
    Map<String, FieldNames> names =
        Map.of(
            "document", FieldNames.DOCUMENT,
            "ruleSet", FieldNames.RULE_SET,
            "plan", FieldNames.PLAN,
            "rule", FieldNames.RULE,
            "band", FieldNames.BAND);
    List<String> properties = new ArrayList<>();
    SCHEMA_TEXT
        .at("/$defs/" + definition + "/properties")
        .fieldNames()
        .forEachRemaining(properties::add);
    assertThat(properties).containsExactlyInAnyOrderElementsOf(names.get(definition).spellings());
  }

  @Test
  void listsEveryTypeOfConditionWithItsShape() {
    Map<String, String> shapes = new HashMap<>();
    SCHEMA_TEXT
        .at("/$defs/match/anyOf/0/properties")
        .properties()
        .forEach(field -> shapes.put(field.getKey(), field.getValue().get("$ref").asText()));
    assertThat(shapes)
        .isEqualTo(
            RuleMatch.TYPES.stream()
                .collect(
                    toMap(
                        MatchCondition.Type::name,
                        type ->
                            type instanceof MatchCondition.OfTexts
                                ? "#/$defs/texts"
                                : "#/$defs/globs")));
  }

  @Test
  void isASchemaOfDraft202012() {
    JsonSchema meta =
        JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012)
            .getSchema(SchemaLocation.of("https://json-schema.org/draft/2020-12/schema"));
    assertThat(meta.validate(SCHEMA_TEXT)).isEmpty();
    assertThat(SCHEMA_TEXT.get("$schema").asText())
        .isEqualTo("https://json-schema.org/draft/2020-12/schema");
  }
}
