package dev.redline.server.admin;

import dev.redline.core.BucketReset;
import dev.redline.core.RateLimitEngine;
import dev.redline.core.UnknownNameException;
import dev.redline.core.spi.RuleRepository;
import dev.redline.core.spi.RuleRepository.AuditEntry;
import dev.redline.rules.documents.loading.RulesStatus;
import dev.redline.server.access.Caller;
import dev.redline.server.rules.RuleDocuments;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.time.Clock;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Endpoints to reload rules, reset buckets and read counters. */
@RestController
@RequestMapping(AdminPaths.ROOT)
class OperationsController {
  private static final System.Logger LOG = System.getLogger(OperationsController.class.getName());
  private static final long RESET_TIMEOUT_SECONDS = 5;

  private final RuleDocuments documents;
  private final RuleRepository repository;
  private final RateLimitEngine engine;
  private final RuleCounts counts;
  private final Clock clock;

  OperationsController(
      RuleDocuments documents,
      RuleRepository repository,
      RateLimitEngine engine,
      RuleCounts counts,
      Clock clock) {
    this.documents = documents;
    this.repository = repository;
    this.engine = engine;
    this.counts = counts;
    this.clock = clock;
  }

  @PostMapping("/reload")
  ResponseEntity<byte[]> reload(@RequestAttribute(AdminAuthenticator.CALLER) Caller caller) {
    RulesStatus status = documents.reload();
    boolean audited = note(caller, "reload", Optional.empty(), Optional.empty());
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("version", status.version());
    status.loadedAt().ifPresent(at -> body.put("loadedAt", at.toEpochMilli()));
    body.put("errors", status.errors());
    addAudited(body, audited);
    return AdminJson.ok(body);
  }

  @GetMapping("/rules/errors")
  ResponseEntity<byte[]> errors(@RequestAttribute(AdminAuthenticator.CALLER) Caller caller) {
    return AdminJson.ok(Map.of("errors", documents.status().errors()));
  }

  @PostMapping("/buckets/reset")
  ResponseEntity<byte[]> reset(
      @RequestAttribute(AdminAuthenticator.CALLER) Caller caller, HttpServletRequest request)
      throws InterruptedException {
    ResetRequest resetRequest = ResetRequest.of(BodyText.json(request));
    List<String> rules = resetBuckets(resetRequest.reset());
    boolean audited = note(caller, "reset", resetRequest.ruleId(), resetRequest.ruleSetId());
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("rules", rules);
    addAudited(body, audited);
    return AdminJson.ok(body);
  }

  private List<String> resetBuckets(BucketReset reset) throws InterruptedException {
    try {
      return engine.reset(reset).toCompletableFuture().get(RESET_TIMEOUT_SECONDS, TimeUnit.SECONDS);
    } catch (UnknownNameException e) {
      throw e;
    } catch (IllegalArgumentException e) {
      throw new AdminProblem(400, String.valueOf(e.getMessage()));
    } catch (ExecutionException | TimeoutException e) {
      Throwable why = e.getCause() == null ? e : e.getCause();
      LOG.log(System.Logger.Level.WARNING, "buckets could not be reset: " + why);
      LOG.log(System.Logger.Level.DEBUG, "buckets could not be reset", e);
      throw new AdminProblem(503, "the store could not reset buckets; please retry");
    }
  }

  private static void addAudited(Map<String, Object> body, boolean audited) {
    if (!audited) {
      body.put("audited", false);
    }
  }

  /** Returns whether the action is in the audit: it took effect already, also if it is not. */
  private boolean note(
      Caller caller, String action, Optional<String> ruleId, Optional<String> ruleSetId) {
    AuditEntry entry =
        new AuditEntry(
            clock.instant(),
            caller.name(),
            action,
            ruleId,
            ruleSetId,
            Optional.empty(),
            Optional.empty(),
            Optional.empty());
    try {
      repository.note(entry);
      return true;
    } catch (IOException e) {
      LOG.log(
          System.Logger.Level.ERROR,
          "{0} by {1} is not in the audit: {2}",
          action,
          caller.name(),
          e.getMessage());
      return false;
    }
  }

  @GetMapping("/stats")
  ResponseEntity<byte[]> stats(@RequestAttribute(AdminAuthenticator.CALLER) Caller caller) {
    return AdminJson.ok(counts.describe());
  }
}
