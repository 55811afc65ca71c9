package dev.redline.rules.mongo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import dev.redline.core.spi.RuleRepository.AuditEntry;
import dev.redline.core.spi.RuleRepository.Revision;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Documents that other tools have written, moved or broken. */
@Timeout(value = 90, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class MongoOddDocumentsTest {
  private static final Instant NOW = Instant.ofEpochMilli(1_763_230_000_123L);

  private final MongoTestServer server = MongoTestServer.start();
  private final MongoClient client = MongoClients.create(server.uri());
  private final MongoCollection<BsonDocument> rules = collection("");
  private final MongoRuleRepository repository = repository();
  private final MongoRuleRepository other = repository();

  @AfterEach
  void close() {
    repository.close();
    other.close();
    client.close();
    server.close();
  }

  private MongoRuleRepository repository() {
    return new MongoRuleRepository(MongoSettings.of(server.uri()));
  }

  private MongoCollection<BsonDocument> collection(String suffix) {
    return client
        .getDatabase("redline")
        .getCollection("rate_limit_rules" + suffix, BsonDocument.class);
  }

  private static String document(String... rules) {
    return "{\"rules\":[" + String.join(",", rules) + "]}";
  }

  private static String rule(String id, int limit) {
    return "{\"id\":\"" + id + "\",\"limit\":\"" + limit + "/s\"}";
  }

  private static Revision revision(long version, String document) {
    return new Revision(version, document, NOW, "ci", "a change: ü {} 3:x");
  }

  private static AuditEntry entry(String action) {
    return new AuditEntry(
        NOW, "ci", action, Optional.of("per-ip"), Optional.empty(), Optional.of("{}"));
  }

  private static boolean write(MongoRuleRepository to, long expected, String document)
      throws IOException {
    return to.write(expected, revision(expected + 1, document), entry("update"));
  }

  private static BsonDocument parse(String json) {
    return BsonDocument.parse(json);
  }

  private static String nested(int depth) {
    return "{x:".repeat(depth) + "1" + "}".repeat(depth);
  }

  /** Its revision could not be read again, and would block all readers for ever. */
  @Test
  void documentThatIsNoRuleAsTextBlocksNoReaderOnceItIsMended() throws IOException {
    write(repository, 0, document(rule("a", 1)));
    rules.insertOne(parse("{_id:'odd', limit:'2/s', metadata:" + nested(70) + "}"));
    assertThatThrownBy(other::load)
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith(
            "MongoDB redline.rate_limit_rules: rule 'odd' cannot be read: not a rule document: ");
    assertThat(other.revisions(10)).hasSize(1);

    rules.deleteOne(parse("{_id:'odd'}"));
    assertThat(other.newest()).hasValue(revision(1, document(rule("a", 1))));
    collection("_plans").insertOne(parse("{_id:'deep', limit:'2/s', x:" + nested(70) + "}"));
    assertThatThrownBy(other::load).hasMessageContaining("plan 'deep' cannot be read: ");
  }

  @Test
  void numbersOfEveryKindReadTheSameAgain() throws IOException {
    rules.insertOne(
        parse(
            "{_id:'a', limit:'1/s', metadata:{a:{$numberDecimal:'-0E+3'}, b:-0.0, c:1e300,"
                + " d:{$numberDecimal:'9.99E+6000'}, e:{$numberLong:'9223372036854775807'},"
                + " f:9.3e18, g:{$numberInt:'7'}, h:{$numberDouble:'2.5'}, i:[null, {}, []],"
                + " '':{'<<':1, 'null':null, 'y':'yes'}, z:'\\u0085\\ufffe\\u2028 ü 🙂'}}"));

    Revision first = repository.newest().orElseThrow();

    assertThat(first.version()).isEqualTo(1);
    assertThat(other.newest()).hasValue(first);
    assertThat(write(other, 1, document(rule("b", 1)))).isTrue();
  }

  @Test
  void equalIdsInAnotherOrderAreNoChange() throws IOException {
    BsonDocument first = parse("{_id:{$oid:'000000000000000000000001'}, id:'twice', limit:'1/s'}");
    BsonDocument second = parse("{_id:{$oid:'000000000000000000000002'}, id:'twice', limit:'2/s'}");
    rules.insertMany(List.of(first, second));
    Revision before = repository.newest().orElseThrow();
    rules.deleteMany(parse("{}"));
    rules.insertMany(List.of(second, first));

    assertThat(repository.newest()).hasValue(before);
  }

  /** As mongoexport and mongoimport leave them: long numbers become short ones. */
  @Test
  void readsItsCollectionsAfterTheyWereExportedAndImported() throws IOException {
    write(repository, 0, document(rule("a", 1)));
    write(repository, 1, document(rule("a", 2)));
    for (String suffix : List.of("_head", "_revisions", "_audit", "")) {
      MongoCollection<BsonDocument> copied = collection(suffix);
      List<BsonDocument> documents = copied.find().into(new ArrayList<>());
      copied.deleteMany(parse("{}"));
      documents.forEach(document -> copied.insertOne(withIntegers(document)));
    }

    assertThat(other.newest()).hasValue(revision(2, document(rule("a", 2))));
    assertThat(other.revisions(10)).hasSize(2);
    assertThat(other.audit(10)).hasSize(2);
    assertThat(write(other, 2, document(rule("a", 3)))).isTrue();
    assertThat(rules.find().first().getString("limit").getValue()).isEqualTo("3/s");
    assertThat(repository.newest()).hasValue(revision(3, document(rule("a", 3))));
    assertThat(repository.revisions(10)).hasSize(3);
  }

  private static BsonDocument withIntegers(BsonDocument document) {
    BsonDocument copy = new BsonDocument();
    document.forEach(
        (name, value) ->
            copy.put(
                name,
                value.isInt64()
                    ? new BsonInt32((int) value.asInt64().getValue())
                    : value.isDocument() ? withIntegers(value.asDocument()) : value));
    return copy;
  }

  @Test
  void doesNotCompleteAWriteOfAFormatThatItDoesNotKnow() throws IOException {
    write(repository, 0, document(rule("a", 1)));
    collection("_revisions")
        .insertOne(
            parse("{_id:{$oid:'0123456789abcdef01234567'}, committed:false, future:{rules:[]}}"));
    collection("_head")
        .updateOne(
            parse("{_id:'head'}"),
            parse(
                "{$set:{version:{$numberLong:'2'}, record:{$oid:'0123456789abcdef01234567'},"
                    + " pending:true}}"));

    assertThatThrownBy(other::load)
        .isInstanceOf(IOException.class)
        .hasMessageContaining("holds a revision that was not written by Redline");
    assertThatThrownBy(() -> write(other, 2, document())).isInstanceOf(IOException.class);
    assertThat(rules.countDocuments(parse("{_id:'a', limit:'1/s'}"))).isOne();
    assertThat(collection("_head").find().first().getBoolean("pending").getValue()).isTrue();
  }

  @Test
  void holdsThousandsOfRules() throws IOException {
    StringBuilder all = new StringBuilder();
    for (int i = 0; i < 2_000; i++) {
      all.append(i == 0 ? "" : ",").append(rule("rule-" + i, 1 + i));
    }
    assertThat(write(repository, 0, document(all.toString()))).isTrue();
    assertThat(rules.countDocuments()).isEqualTo(2_000);

    rules.updateOne(parse("{_id:'rule-1000'}"), parse("{$set:{limit:'7/s'}}"));

    Revision newest = other.newest().orElseThrow();
    assertThat(newest.version()).isEqualTo(2);
    assertThat(newest.summary()).isEqualTo("by another tool: rule 'rule-1000' changed");
  }

  @Test
  void closesItsChangeStreamsOnTheClientOfTheApplication() throws Exception {
    MongoSettings settings =
        new MongoSettings(Optional.empty(), "redline", "rate_limit_rules", Duration.ofMinutes(1));
    List<String> commands = new CopyOnWriteArrayList<>();
    MongoRuleRepository idle = new MongoRuleRepository(client, settings);
    idle.load();
    idle.awaitChange(Duration.ofSeconds(1));
    server.failIf(
        command -> {
          commands.add(command.name());
          return false;
        });
    idle.close();
    assertThat(commands).containsExactly("killCursors", "killCursors");

    MongoRuleRepository waiting = new MongoRuleRepository(client, settings);
    waiting.load();
    waiting.awaitChange(Duration.ofSeconds(1));
    commands.clear();
    Thread waiter =
        new Thread(
            () -> {
              try {
                waiting.awaitChange(Duration.ofMinutes(1));
              } catch (IOException | InterruptedException e) {
                throw new IllegalStateException(e);
              }
            });
    waiter.start();
    await().until(() -> commands.contains("getMore"));
    waiting.close();
    waiter.join(Duration.ofSeconds(1).toMillis());
    assertThat(waiter.isAlive()).isFalse();
    assertThat(commands).filteredOn("killCursors"::equals).hasSize(2);
    assertThat(client.getDatabase("redline").listCollectionNames().first()).isNotNull();
  }

  @Test
  void reportsARuleWhoseKeyBelongsToADocumentWithAnotherId() throws IOException {
    rules.insertOne(parse("{_id:'a', id:'b', limit:'1/s'}"));
    Revision first = repository.newest().orElseThrow();

    assertThatThrownBy(() -> write(repository, 1, document(rule("b", 1), rule("a", 2))))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("'a' is the _id of a document with another id");
    assertThat(first.document()).contains("\"id\":\"b\"");
    assertThat(rules.countDocuments()).isOne();
    assertThat(other.newest().orElseThrow().by()).isEqualTo("external");
  }
}
