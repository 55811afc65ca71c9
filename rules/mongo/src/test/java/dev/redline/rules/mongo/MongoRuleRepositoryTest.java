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
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.Document;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 90, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class MongoRuleRepositoryTest {
  private static final Duration SOON = Duration.ofSeconds(15);
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

  @Test
  void showsOtherRepositoriesWhatWasWritten() throws IOException {
    assertThat(other.load()).isEmpty();
    assertThat(other.newest()).isEmpty();
    assertThat(other.revisions(10)).isEmpty();
    String text =
        "{ \"version\": 1, \"plans\": [{\"id\":\"gold\",\"limit\":\"9/s\"}],\n \"ruleSets\":"
            + " [{\"id\":\"api\",\"rules\":[{\"id\":\"ü.a\",\"plan\":\"gold\",\"metadata\":"
            + "{\"n\":1.50,\"big\":12345678901234567890,\"deep\":{\"x\":[1,true,null,\"y\"]}}}]}]}";

    assertThat(write(repository, 0, text)).isTrue();

    assertThat(other.newest()).hasValue(revision(1, text));
    assertThat(other.load().orElseThrow().documents())
        .singleElement()
        .satisfies(document -> assertThat(document.content()).isEqualTo(text));
    assertThat(other.audit(10)).containsExactly(entry("update"));
  }

  @Test
  void keepsOneDocumentForEachRuleAndPlan() throws IOException {
    write(
        repository,
        0,
        "{\"plans\":[{\"id\":\"gold\",\"limit\":\"9/s\"}],\"rules\":["
            + rule("a", 1)
            + ",{\"id\":\"b\",\"ruleSetId\":\"api\",\"priority\":7,\"enabled\":false,\"limit\":\"2/s\"}]}");

    BsonDocument a = rules.find(parse("{_id:'a'}")).first();
    assertThat(a).containsEntry("ruleSetId", parse("{x:'default'}").get("x"));
    assertThat(a.getBoolean("enabled").getValue()).isTrue();
    assertThat(a.getNumber("priority").longValue()).isZero();
    BsonDocument b = rules.find(parse("{_id:'b'}")).first();
    assertThat(b.getString("ruleSetId").getValue()).isEqualTo("api");
    assertThat(b.getNumber("priority").longValue()).isEqualTo(7);
    assertThat(collection("_plans").countDocuments(parse("{_id:'gold'}"))).isOne();
    assertThat(rules.listIndexes().map(index -> index.get("key", Document.class).toJson()))
        .contains("{\"ruleSetId\": 1, \"enabled\": 1}", "{\"ruleSetId\": 1, \"priority\": -1}");
  }

  @Test
  void writesOnlyDocumentsThatChange() throws IOException {
    write(repository, 0, document(rule("a", 1), rule("b", 1), rule("c", 1)));
    BsonDocument before = rules.find(parse("{_id:'b'}")).first();

    write(repository, 1, document(rule("a", 2), rule("b", 1)));

    assertThat(rules.find(parse("{_id:'b'}")).first()).isEqualTo(before);
    assertThat(rules.find(parse("{_id:'a'}")).first().getString("limit").getValue())
        .isEqualTo("2/s");
    assertThat(rules.countDocuments()).isEqualTo(2);
    assertThat(other.newest()).hasValue(revision(2, document(rule("a", 2), rule("b", 1))));
  }

  @Test
  void rejectsWriteBasedOnOldRevision() throws IOException {
    assertThat(write(repository, 0, document(rule("a", 1)))).isTrue();
    assertThat(write(repository, 1, document(rule("b", 1)))).isTrue();
    assertThat(write(other, 1, document(rule("c", 1)))).isFalse();
    assertThat(write(other, 0, document(rule("d", 1)))).isFalse();

    assertThat(other.newest()).hasValue(revision(2, document(rule("b", 1))));
    assertThat(other.audit(10)).hasSize(2);
    assertThatThrownBy(() -> repository.write(5, revision(5, "[]"), entry("update")))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(collection("_revisions").countDocuments()).isEqualTo(2);
  }

  @Test
  void rejectsTextThatIsNoRuleDocument() {
    for (String text : List.of("{broken: [", "no rules", "")) {
      assertThatThrownBy(() -> write(repository, 0, text))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith("not a rule document");
    }
    assertThat(collection("_revisions").countDocuments()).isZero();
  }

  @Test
  void keepsBoundedHistoryByteForByte() throws IOException {
    for (int i = 0; i < 105; i++) {
      assertThat(write(repository, i, "{ \"rules\": [" + rule("r" + i, 1) + "] }\n")).isTrue();
    }
    for (int i = 0; i < 1000; i++) {
      repository.note(entry("reset"));
    }

    assertThat(other.revisions(3).stream().map(Revision::version))
        .containsExactly(105L, 104L, 103L);
    assertThat(other.revision(103))
        .hasValue(revision(103, "{ \"rules\": [" + rule("r102", 1) + "] }\n"));
    assertThat(other.revisions(1000)).hasSize(100);
    assertThat(other.revision(5)).isEmpty();
    assertThat(other.audit(5000)).hasSize(1000);
    assertThat(collection("_revisions").countDocuments()).isEqualTo(100);
    assertThat(collection("_audit").countDocuments()).isEqualTo(1000);
  }

  @Test
  void equalDocumentHasSameContentVersion() throws IOException {
    write(repository, 0, document());
    String version = repository.load().orElseThrow().version();
    write(repository, 1, document());

    assertThat(repository.load().orElseThrow().version()).isEqualTo(version);
  }

  @Test
  void ruleSetWithoutRulesStays() throws IOException {
    String text = "{\"version\":2,\"ruleSets\":[{\"id\":\"api\",\"rules\":[]}]}";
    write(repository, 0, "{\"ruleSets\":[{\"id\":\"api\",\"rules\":[" + rule("a", 1) + "]}]}");
    write(repository, 1, text);
    assertThat(other.load().orElseThrow().documents().get(0).content()).isEqualTo(text);

    rules.insertOne(parse("{_id:'b', limit:'1/s'}"));

    assertThat(other.newest().orElseThrow().document())
        .isEqualTo(
            "{\"version\":3,\"rules\":[{\"id\":\"b\",\"limit\":\"1/s\",\"ruleSetId\":\"default\"}],"
                + "\"ruleSets\":[{\"id\":\"api\",\"rules\":[]}]}");
  }

  @Test
  void racingWritersWriteEveryVersionExactlyOnce() throws Exception {
    int writers = 4;
    int each = 15;
    List<MongoRuleRepository> repositories = new ArrayList<>();
    List<Thread> threads = new ArrayList<>();
    List<Throwable> failures = new CopyOnWriteArrayList<>();
    CountDownLatch start = new CountDownLatch(1);
    for (int w = 0; w < writers; w++) {
      MongoRuleRepository racing = repository();
      repositories.add(racing);
      String own = "w" + w;
      Thread thread =
          new Thread(
              () -> {
                try {
                  start.await();
                  for (int done = 0; done < each; ) {
                    Optional<Revision> newest = racing.newest();
                    String text = newest.map(Revision::document).orElse(document());
                    String next = plusRule(text, own + "-" + done);
                    if (write(racing, newest.map(Revision::version).orElse(0L), next)) {
                      done++;
                    }
                  }
                } catch (Throwable e) {
                  failures.add(e);
                }
              });
      threads.add(thread);
      thread.start();
    }
    start.countDown();
    for (Thread thread : threads) {
      thread.join(TimeUnit.SECONDS.toMillis(60));
      assertThat(thread.isAlive()).isFalse();
    }
    repositories.forEach(MongoRuleRepository::close);
    assertThat(failures).isEmpty();

    List<Revision> revisions = repository.revisions(100);
    int all = writers * each;
    assertThat(revisions.stream().map(Revision::version))
        .containsExactlyElementsOf(
            LongStream.range(0, all).mapToObj(newer -> all - newer).toList());
    assertThat(revisions).allSatisfy(one -> assertThat(one.by()).isEqualTo("ci"));
    assertThat(repository.audit(1000)).hasSize(all);
    // Each version has one rule more than the one before, so no write was lost.
    assertThat(rules.countDocuments()).isEqualTo(all);
    assertThat(repository.newest().orElseThrow().document().split("limit", -1)).hasSize(all + 1);
  }

  private static String plusRule(String document, String id) {
    String list = document.substring(document.indexOf('[') + 1, document.lastIndexOf(']'));
    return document(list.isEmpty() ? rule(id, 1) : list + "," + rule(id, 1));
  }

  @Test
  void readerCompletesWriteOfWriterThatStoppedAfterTheHead() throws IOException {
    write(repository, 0, document(rule("a", 1), rule("b", 1)));
    server.failIf(command -> isWriteOf(command, "rate_limit_rules"));

    assertThat(write(repository, 1, document(rule("a", 2), rule("c", 1)))).isTrue();
    assertThat(rules.countDocuments(parse("{_id:'c'}"))).isZero();
    server.failIf(command -> false);

    assertThat(other.newest()).hasValue(revision(2, document(rule("a", 2), rule("c", 1))));
    assertThat(rules.find(parse("{_id:'a'}")).first().getString("limit").getValue())
        .isEqualTo("2/s");
    assertThat(rules.countDocuments(parse("{_id:'b'}"))).isZero();
    assertThat(rules.countDocuments(parse("{_id:'c'}"))).isOne();
    assertThat(other.revisions(10)).hasSize(2);
    assertThat(other.audit(10)).hasSize(2);
    assertThat(write(other, 2, document(rule("c", 1)))).isTrue();
  }

  private static boolean isWriteOf(MongoTestServer.Command command, String collection) {
    return List.of("update", "insert", "delete").contains(command.name())
        && command.collection().equals(collection);
  }

  @Test
  void recordWithoutHeadNeverCounts() throws IOException {
    write(repository, 0, document(rule("a", 1)));
    server.failIf(command -> isWriteOf(command, "rate_limit_rules_head"));

    assertThatThrownBy(() -> write(repository, 1, document(rule("b", 1))))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith("MongoDB redline.rate_limit_rules: ");
    server.failIf(command -> false);

    assertThat(other.newest().orElseThrow().version()).isEqualTo(1);
    assertThat(other.revisions(10)).hasSize(1);
    assertThat(write(other, 1, document(rule("c", 1)))).isTrue();
    assertThat(other.revisions(10)).hasSize(2);
  }

  @Test
  void editByAnotherToolBecomesOneRevision() throws IOException {
    write(repository, 0, document(rule("a", 1), rule("b", 1)));
    rules.updateOne(parse("{_id:'a'}"), parse("{$set:{limit:'5/s', priority: 3.0}}"));

    Revision newest = repository.newest().orElseThrow();
    assertThat(newest.version()).isEqualTo(2);
    assertThat(newest.by()).isEqualTo("external");
    assertThat(newest.summary()).isEqualTo("by another tool: rule 'a' changed");
    assertThat(newest.document())
        .isEqualTo(
            "{\"version\":2,\"rules\":[{\"id\":\"a\",\"limit\":\"5/s\",\"priority\":3,"
                + "\"ruleSetId\":\"default\"},{\"id\":\"b\",\"limit\":\"1/s\","
                + "\"ruleSetId\":\"default\"}]}");
    assertThat(other.newest()).hasValue(newest);
    assertThat(other.revisions(10)).hasSize(2);
    AuditEntry audit = other.audit(1).get(0);
    assertThat(audit.by()).isEqualTo("external");
    assertThat(audit.action()).isEqualTo("update");
    assertThat(audit.ruleId()).hasValue("a");
    assertThat(audit.before().orElseThrow()).contains("1/s");
    assertThat(audit.after().orElseThrow()).contains("5/s");

    rules.insertOne(parse("{_id:'c', limit:'7/s'}"));
    rules.deleteOne(parse("{_id:'b'}"));
    collection("_plans").insertOne(parse("{_id:'gold', limit:'9/s'}"));
    assertThat(other.newest().orElseThrow().summary())
        .isEqualTo("by another tool: rule 'b' deleted, rule 'c' created, plan 'gold' created");
    assertThat(write(repository, 2, document())).isFalse();
    assertThat(write(repository, 3, document(rule("a", 1)))).isTrue();
    assertThat(rules.countDocuments()).isOne();
  }

  @Test
  void concurrentReadersAdoptAnEditOnce() throws Exception {
    write(repository, 0, document(rule("a", 1)));
    for (int i = 2; i < 12; i++) {
      rules.updateOne(parse("{_id:'a'}"), parse("{$set:{limit:'" + i + "/s'}}"));
      List<Thread> readers = new ArrayList<>();
      for (MongoRuleRepository each : List.of(repository, other)) {
        Thread reader =
            new Thread(
                () -> {
                  try {
                    each.load();
                  } catch (IOException e) {
                    throw new UncheckedIOException(e);
                  }
                });
        readers.add(reader);
        reader.start();
      }
      for (Thread reader : readers) {
        reader.join(10_000);
      }
      assertThat(repository.newest().orElseThrow().version()).isEqualTo(i);
    }
  }

  @Test
  void repairsWhatLateWriterBroughtBack() throws IOException {
    write(repository, 0, document(rule("a", 1), rule("b", 1)));
    BsonDocument a = rules.find(parse("{_id:'a'}")).first();
    write(repository, 1, document(rule("b", 1)));
    rules.insertOne(a);

    assertThat(other.newest()).hasValue(revision(2, document(rule("b", 1))));
    assertThat(rules.countDocuments()).isOne();

    // A copy that was changed is an edit.
    a.put("limit", new BsonString("8/s"));
    rules.insertOne(a);
    assertThat(other.newest().orElseThrow().by()).isEqualTo("external");
    assertThat(rules.countDocuments()).isEqualTo(2);
  }

  @Test
  void missingDocumentsAreNoEmptyRules() throws IOException {
    write(repository, 0, document(rule("a", 1), rule("b", 1)));
    rules.drop();

    assertThat(other.load()).isEmpty();
    assertThat(other.newest().orElseThrow().version()).isEqualTo(1);

    assertThat(write(repository, 1, document(rule("a", 2), rule("b", 1)))).isTrue();
    assertThat(rules.countDocuments()).isEqualTo(2);
    assertThat(other.load()).isPresent();
  }

  @Test
  void readsDocumentsThatWereThereBefore() throws IOException {
    rules.insertOne(
        parse(
            "{_id:'a', ruleSetId:'api', path:'/api/users/*', method:'GET', limitScope:'PER_IP',"
                + " compositeKeyFields:null, bands:[{label:'x', capacity:10.0,"
                + " refillTokens:{$numberLong:'10'}, refillSeconds:1}], priority:10, enabled:true,"
                + " onLimitExceed:'REJECT', attributes:{tier:'gold'},"
                + " createdAt:{$date:'2025-01-02T03:04:05Z'}, _class:'com.acme.Rule'}"));

    Revision first = repository.newest().orElseThrow();

    assertThat(first.version()).isEqualTo(1);
    assertThat(first.by()).isEqualTo("external");
    assertThat(first.document())
        .isEqualTo(
            "{\"version\":1,\"rules\":[{\"id\":\"a\",\"attributes\":{\"tier\":\"gold\"},"
                + "\"bands\":[{\"capacity\":10,\"label\":\"x\",\"refillSeconds\":1,"
                + "\"refillTokens\":10}],\"createdAt\":\"2025-01-02T03:04:05Z\","
                + "\"limitScope\":\"PER_IP\",\"method\":\"GET\",\"onLimitExceed\":\"REJECT\","
                + "\"path\":\"/api/users/*\",\"priority\":10,\"ruleSetId\":\"api\"}]}");
    assertThat(repository.newest()).hasValue(first);
    assertThat(rules.find().first().getString("_class").getValue()).isEqualTo("com.acme.Rule");
  }

  @Test
  void reportsDocumentThatNoRuleCanBe() throws IOException {
    rules.insertOne(
        parse("{_id:'a', limit:'1/s', metadata:{x:{$binary:{base64:'AA==', subType:'00'}}}}"));

    assertThatThrownBy(repository::load)
        .isInstanceOf(IOException.class)
        .hasMessage(
            "MongoDB redline.rate_limit_rules: the document with _id 'a' of rate_limit_rules cannot"
                + " be read: 'metadata': 'x': a rule cannot hold the BSON type BINARY");
    rules.deleteOne(parse("{_id:'a'}"));
    assertThat(repository.load()).isEmpty();
  }

  @Test
  void rejectsFieldsThatMongoCannotHoldBeforeWriting() throws IOException {
    write(repository, 0, document(rule("a", 1)));

    assertThatThrownBy(() -> write(repository, 1, document("{\"id\":\"a\",\"$bad\":\"1\"}")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("'a': MongoDB cannot hold the field '$bad'");

    assertThat(other.newest()).hasValue(revision(1, document(rule("a", 1))));
  }

  @Test
  void documentThatMongoRejectsStaysAsItWasAndBlocksNoWriter() throws IOException {
    write(repository, 0, document(rule("a", 1), rule("b", 1)));
    // BSON names end with this character, so none can contain it.
    String rejected = "{\"id\":\"a\",\"metadata\":{\"x\\u0000y\":\"z\"}}";

    assertThatThrownBy(() -> write(repository, 1, document(rejected, rule("b", 2))))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("MongoDB rejected documents of version 2");

    Revision newest = other.newest().orElseThrow();
    assertThat(newest.version()).isEqualTo(3);
    assertThat(newest.by()).isEqualTo("external");
    assertThat(newest.document()).contains("1/s").doesNotContain("metadata");
    assertThat(write(other, newest.version(), document(rule("a", 3)))).isTrue();
  }

  @Test
  void readerWithoutPermissionToWriteSeesEverything() throws IOException {
    write(repository, 0, document(rule("a", 1)));
    server.allowReadingOnly(true);
    assertThat(other.load()).isPresent();

    server.allowReadingOnly(false);
    rules.updateOne(parse("{_id:'a'}"), parse("{$set:{limit:'5/s'}}"));
    server.allowReadingOnly(true);

    assertThat(other.load().orElseThrow().documents().get(0).content()).contains("5/s");
    assertThatThrownBy(() -> write(other, 1, document()))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("not authorized");
  }

  @Test
  void waitsForChangesOfRulesByAnyTool() throws Exception {
    repository.load();
    repository.awaitChange(Duration.ofMinutes(1));
    CountDownLatch ended = new CountDownLatch(1);
    Thread waiter =
        new Thread(
            () -> {
              try {
                repository.awaitChange(Duration.ofMinutes(1));
                ended.countDown();
              } catch (IOException | InterruptedException e) {
                throw new IllegalStateException(e);
              }
            });
    waiter.start();
    rules.insertOne(parse("{_id:'a', limit:'1/s'}"));

    await().atMost(SOON).until(() -> ended.getCount() == 0);
  }
}
