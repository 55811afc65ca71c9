package dev.redline.rules.mongo;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import dev.redline.core.key.KeyField;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.limit.RateLimitBand.Algorithm;
import dev.redline.core.limit.RateLimitBand.Refill;
import dev.redline.core.rule.OnLimitExceed;
import dev.redline.core.rule.OnMissingIdentity;
import dev.redline.core.rule.RateLimitRule;
import dev.redline.core.spi.RuleRepository.AuditEntry;
import dev.redline.core.spi.RuleRepository.Revision;
import dev.redline.rules.documents.ReadResult;
import dev.redline.rules.documents.RuleDocumentWriter;
import dev.redline.rules.documents.internal.parsing.JsonWriter;
import dev.redline.rules.documents.reading.RuleDocumentReader;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.bson.BsonDocument;
import org.bson.types.ObjectId;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Documents as FluxGate's adapter writes them: an ObjectId beside the id, numbers as longs. */
class FluxGateDocumentsTest {
  private final MongoTestServer server = MongoTestServer.start();
  private final MongoClient client = MongoClients.create(server.uri());
  private final MongoCollection<BsonDocument> rules =
      client.getDatabase("redline").getCollection("rate_limit_rules", BsonDocument.class);
  private final MongoRuleRepository repository =
      new MongoRuleRepository(MongoSettings.of(server.uri()));

  @AfterEach
  void close() {
    repository.close();
    client.close();
    server.close();
  }

  private void insert(String id, String scope, String strategy, String more) {
    rules.insertOne(
        BsonDocument.parse(
            "{_id:{$oid:'"
                + new ObjectId()
                + "'}, id:'"
                + id
                + "', name:'Rule "
                + id
                + "', enabled:true, scope:'"
                + scope
                + "', keyStrategyId:'"
                + strategy
                + "', onLimitExceedPolicy:'REJECT_REQUEST', ruleSetId:'api',"
                + " bands:[{windowSeconds:{$numberLong:'60'}, capacity:{$numberLong:'100'},"
                + " label:'per-minute'}, {windowSeconds:{$numberLong:'1'},"
                + " capacity:{$numberLong:'10'}, label:null}]"
                + more
                + "}"));
  }

  private Map<String, RateLimitRule> read() throws IOException {
    ReadResult result =
        RuleDocumentReader.withoutPlaceholders().read(repository.load().orElseThrow().documents());
    assertThat(result.errors()).isEmpty();
    return result.document().rules().stream()
        .collect(Collectors.toMap(RateLimitRule::id, rule -> rule));
  }

  @Test
  void meansTheSameAsInFluxGate() throws IOException {
    insert("everyone", "GLOBAL", "global", "");
    insert("per-ip", "PER_IP", "clientIp", ", attributes:{tier:'gold', n:{$numberLong:'3'}}");
    insert("per-user", "PER_USER", "userId", "");
    insert("per-key", "PER_API_KEY", "apiKey", "");
    insert("per-tenant", "CUSTOM", "tenantId", "");
    rules.updateOne(
        BsonDocument.parse("{id:'per-user'}"),
        BsonDocument.parse("{$set:{enabled:false, onLimitExceedPolicy:'WAIT_FOR_REFILL'}}"));

    Map<String, RateLimitRule> read = read();

    assertThat(read.get("everyone").key()).containsExactly(KeyField.global());
    assertThat(read.get("per-ip").key()).containsExactly(KeyField.parse("ip"));
    assertThat(read.get("per-user").key()).containsExactly(KeyField.parse("userId"));
    assertThat(read.get("per-key").key()).containsExactly(KeyField.parse("apiKey"));
    assertThat(read.get("per-tenant").key()).containsExactly(KeyField.parse("attribute:tenantId"));
    assertThat(read.values())
        .allSatisfy(
            rule -> {
              assertThat(rule.ruleSetId()).isEqualTo("api");
              assertThat(rule.onMissingIdentity()).isEqualTo(OnMissingIdentity.USE_IP);
              assertThat(rule.bands()).hasSize(2);
              RateLimitBand band = rule.bands().get(0);
              assertThat(band.label()).hasValue("per-minute");
              assertThat(band.algorithm()).isEqualTo(Algorithm.TOKEN_BUCKET);
              assertThat(band.refill()).isEqualTo(Refill.CONTINUOUS);
              assertThat(band.capacity()).isEqualTo(100);
              assertThat(band.refillTokens()).isEqualTo(100);
              assertThat(band.period()).isEqualTo(Duration.ofMinutes(1));
            });
    assertThat(read.get("per-ip").metadata())
        .containsEntry("tier", "gold")
        .containsEntry("n", 3L)
        .containsEntry("name", "Rule per-ip");
    assertThat(read.get("per-user").enabled()).isFalse();
    assertThat(read.get("per-user").onLimitExceed()).hasValue(OnLimitExceed.WAIT_FOR_REFILL);
    assertThat(read.get("per-ip").onLimitExceed()).hasValue(OnLimitExceed.REJECT);
    // Reading again finds no change, and the documents stay as FluxGate wrote them.
    assertThat(repository.newest().orElseThrow().version()).isEqualTo(1);
    assertThat(rules.countDocuments(BsonDocument.parse("{scope:{$exists:true}}"))).isEqualTo(5);
  }

  @Test
  void changedRuleKeepsItsObjectIdAndOthersStay() throws IOException {
    insert("a", "PER_IP", "clientIp", "");
    insert("b", "PER_USER", "userId", "");
    BsonDocument a = rules.find(BsonDocument.parse("{id:'a'}")).first();
    Map<String, RateLimitRule> read = read();
    List<Map<String, Object>> both =
        List.of(
            RuleDocumentWriter.toMap(
                RateLimitRule.builder()
                    .id("a")
                    .ruleSetId("api")
                    .addBand(RateLimitBand.parse("5/s"))
                    .build()),
            RuleDocumentWriter.toMap(read.get("b")));
    String text = JsonWriter.of(Map.of("rules", both));
    Instant now = Instant.ofEpochMilli(1);
    Optional<String> none = Optional.empty();

    assertThat(
            repository.write(
                1,
                new Revision(2, text, now, "ci", "changed"),
                new AuditEntry(now, "ci", "update", none, none, none)))
        .isTrue();

    BsonDocument changed = rules.find(BsonDocument.parse("{id:'a'}")).first();
    assertThat(changed.get("_id")).isEqualTo(a.get("_id"));
    assertThat(changed).doesNotContainKey("scope");
    assertThat(rules.countDocuments()).isEqualTo(2);
    assertThat(read().get("a").bands().get(0).capacity()).isEqualTo(5);
    assertThat(repository.newest().orElseThrow().version()).isEqualTo(2);
  }

  @Test
  void saveByFluxGateReplacesRule() throws IOException {
    insert("a", "PER_IP", "clientIp", "");
    read();
    rules.deleteOne(BsonDocument.parse("{id:'a'}"));
    insert("a", "PER_USER", "userId", "");

    assertThat(read().get("a").key()).containsExactly(KeyField.parse("userId"));
    assertThat(repository.newest().orElseThrow().by()).isEqualTo("external");
  }

  @Test
  void unknownScopeIsAnErrorThatNamesTheRule() throws IOException {
    insert("a", "PER_PLANET", "x", "");

    ReadResult result =
        RuleDocumentReader.withoutPlaceholders().read(repository.load().orElseThrow().documents());

    assertThat(result.errors())
        .singleElement()
        .satisfies(error -> assertThat(error.toString()).contains("rule 'a'", "PER_PLANET"));
  }

  @Test
  void numbersMayHaveAnyType() throws IOException {
    rules.insertOne(
        BsonDocument.parse(
            "{_id:{$oid:'0123456789abcdef01234567'}, id:'odd', name:null, enabled:null,"
                + " scope:'per_ip', keyStrategyId:null, onLimitExceedPolicy:null, ruleSetId:null,"
                + " attributes:null, priority:3.0, bands:[{windowSeconds:60.0, capacity:100,"
                + " label:'a'}, {windowSeconds:{$numberDecimal:'1'}, capacity:{$numberLong:'10'},"
                + " label:null}]}"));

    RateLimitRule odd = read().get("odd");

    assertThat(odd.ruleSetId()).isEqualTo("default");
    assertThat(odd.enabled()).isTrue();
    assertThat(odd.priority()).isEqualTo(3);
    assertThat(odd.key()).containsExactly(KeyField.parse("ip"));
    assertThat(odd.bands().get(0).period()).isEqualTo(Duration.ofMinutes(1));
    assertThat(odd.bands().get(1).capacity()).isEqualTo(10);
  }

  @Test
  void ruleWithoutBandsIsAnErrorThatNamesIt() throws IOException {
    for (String bands : List.of("", ", bands:null", ", bands:[]", ", bands:[{capacity:5}]")) {
      rules.insertOne(
          BsonDocument.parse(
              "{_id:'x', id:'bare', scope:'PER_IP', keyStrategyId:'ip'" + bands + "}"));

      ReadResult result =
          RuleDocumentReader.withoutPlaceholders()
              .read(repository.load().orElseThrow().documents());

      assertThat(result.errors())
          .as(bands)
          .isNotEmpty()
          .allSatisfy(error -> assertThat(error.toString()).contains("rule 'bare'"));
      rules.deleteOne(BsonDocument.parse("{_id:'x'}"));
      rules.insertOne(BsonDocument.parse("{_id:'kept', limit:'1/s'}"));
      assertThat(read()).containsOnlyKeys("kept");
      rules.deleteOne(BsonDocument.parse("{_id:'kept'}"));
    }
  }
}
