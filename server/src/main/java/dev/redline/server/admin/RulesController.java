package dev.redline.server.admin;

import dev.redline.core.RateLimitEngine;
import dev.redline.core.rule.RateLimitRule;
import dev.redline.core.rule.RuleBook;
import dev.redline.core.spi.ConfigProvider.Document;
import dev.redline.rules.documents.ReadResult;
import dev.redline.rules.documents.RuleDocumentWriter;
import dev.redline.rules.documents.loading.EffectiveRules.Contribution;
import dev.redline.rules.documents.reading.RuleDocumentReader;
import dev.redline.server.access.Caller;
import dev.redline.server.rules.RuleDocuments;
import dev.redline.server.rules.RulesPage;
import jakarta.servlet.http.HttpServletRequest;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Endpoints to read, change and validate rules. */
@RestController
@RequestMapping(AdminPaths.ROOT)
class RulesController {
  private static final RuleDocumentReader READER =
      RuleDocumentReader.withoutPlaceholders().warningOfWaits();

  private static final long VALIDATION_WAIT_MILLIS = 200;

  private final Semaphore validating =
      new Semaphore(Math.max(1, Runtime.getRuntime().availableProcessors() / 2));
  private final RuleEditor editor;
  private final RateLimitEngine engine;
  private final RuleDocuments documents;

  RulesController(RuleEditor editor, RateLimitEngine engine, RuleDocuments documents) {
    this.editor = editor;
    this.engine = engine;
    this.documents = documents;
  }

  @GetMapping("/rules")
  ResponseEntity<byte[]> all(@RequestAttribute(AdminAuthenticator.CALLER) Caller caller) {
    RuleBook book = engine.book();
    Map<String, Contribution> origins = documents.origins();
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("version", book == null ? 0 : book.version());
    body.put(
        "rules",
        book == null
            ? List.of()
            : book.rules().stream().map(rule -> withOrigin(rule, origins)).toList());
    return AdminJson.ok(body);
  }

  private static Map<String, Object> withOrigin(
      RateLimitRule rule, Map<String, Contribution> origins) {
    Map<String, Object> fields = new LinkedHashMap<>(RuleDocumentWriter.toMap(rule));
    Contribution origin = origins.get(rule.id());
    if (origin != null) {
      fields.put(
          RuleText.ORIGIN,
          Map.of("source", origin.source().name(), "version", origin.document().version()));
    }
    return fields;
  }

  @PostMapping("/rules")
  ResponseEntity<byte[]> create(
      @RequestAttribute(AdminAuthenticator.CALLER) Caller caller, HttpServletRequest request) {
    RateLimitRule rule = editor.create(caller.name(), BodyText.json(request));
    return tagged(
        ResponseEntity.created(URI.create(AdminPaths.ROOT + "/rules/" + rule.id())), rule);
  }

  @GetMapping("/rules/{id}")
  ResponseEntity<byte[]> one(
      @RequestAttribute(AdminAuthenticator.CALLER) Caller caller,
      @PathVariable("id") String id,
      @RequestHeader(name = HttpHeaders.IF_NONE_MATCH, required = false) @Nullable String known) {
    RuleBook book = engine.book();
    RateLimitRule rule =
        Optional.ofNullable(book)
            .flatMap(rules -> rules.rule(id))
            .orElseThrow(() -> new AdminProblem(404, "unknown rule '" + id + "'"));
    String etag = RulesPage.tagOf(AdminJson.of(rule));
    return known != null && RulesPage.names(known, etag, true)
        ? ResponseEntity.status(304).eTag(etag).build()
        : tagged(ResponseEntity.ok(), rule);
  }

  @PutMapping("/rules/{id}")
  ResponseEntity<byte[]> replace(
      @RequestAttribute(AdminAuthenticator.CALLER) Caller caller,
      @PathVariable("id") String id,
      @RequestHeader(name = HttpHeaders.IF_MATCH, required = false) @Nullable String ifMatch,
      HttpServletRequest request) {
    String json = BodyText.json(request);
    return tagged(
        ResponseEntity.ok(), editor.replace(caller.name(), id, Optional.ofNullable(ifMatch), json));
  }

  @DeleteMapping("/rules/{id}")
  ResponseEntity<byte[]> delete(
      @RequestAttribute(AdminAuthenticator.CALLER) Caller caller,
      @PathVariable("id") String id,
      @RequestHeader(name = HttpHeaders.IF_MATCH, required = false) @Nullable String ifMatch) {
    editor.delete(caller.name(), id, Optional.ofNullable(ifMatch));
    return ResponseEntity.noContent().build();
  }

  @PostMapping("/validate")
  ResponseEntity<byte[]> validate(
      @RequestAttribute(AdminAuthenticator.CALLER) Caller caller, HttpServletRequest request)
      throws InterruptedException {
    String document = BodyText.document(request);
    // Validating a large document takes long, and decisions need the processors.
    if (!validating.tryAcquire(VALIDATION_WAIT_MILLIS, TimeUnit.MILLISECONDS)) {
      throw new AdminProblem(503, "other documents are being validated; please retry");
    }
    ReadResult read;
    try {
      read = READER.read(List.of(new Document("document", document)));
    } finally {
      validating.release();
    }
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("valid", read.valid());
    body.put("errors", AdminJson.of(read.errors()));
    body.put("warnings", AdminJson.of(read.warnings()));
    return AdminJson.ok(body);
  }

  private static ResponseEntity<byte[]> tagged(
      ResponseEntity.BodyBuilder response, RateLimitRule rule) {
    String json = AdminJson.of(rule);
    return AdminJson.text(response.eTag(RulesPage.tagOf(json)), json);
  }
}
