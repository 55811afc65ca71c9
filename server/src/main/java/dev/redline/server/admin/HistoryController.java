package dev.redline.server.admin;

import dev.redline.core.spi.RuleRepository;
import dev.redline.core.spi.RuleRepository.AuditEntry;
import dev.redline.core.spi.RuleRepository.RevisionHeader;
import dev.redline.server.access.Caller;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Endpoints for the history of the rules and the audit of all actions. */
@RestController
@RequestMapping(AdminPaths.ROOT)
class HistoryController {
  private static final int MAX_ENTRIES = 500;

  private final RuleRepository repository;
  private final RuleEditor editor;

  HistoryController(RuleRepository repository, RuleEditor editor) {
    this.repository = repository;
    this.editor = editor;
  }

  @GetMapping("/history")
  ResponseEntity<byte[]> history(@RequestAttribute(AdminAuthenticator.CALLER) Caller caller) {
    return AdminJson.ok(editor.history().stream().map(HistoryController::describe).toList());
  }

  private static Map<String, Object> describe(RevisionHeader revision) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("version", revision.version());
    fields.put("at", revision.at().toEpochMilli());
    fields.put("by", revision.by());
    fields.put("summary", revision.summary());
    return fields;
  }

  @PostMapping("/history/{version}/restore")
  ResponseEntity<byte[]> restore(
      @RequestAttribute(AdminAuthenticator.CALLER) Caller caller,
      @PathVariable("version") String version) {
    long number;
    try {
      number = Long.parseLong(version);
    } catch (NumberFormatException e) {
      throw new AdminProblem(404, "version '" + version + "' is not in the history");
    }
    long restored = editor.restore(caller.name(), number);
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("version", restored);
    body.put("restored", number);
    return AdminJson.ok(body);
  }

  @GetMapping("/audit")
  ResponseEntity<byte[]> audit(@RequestAttribute(AdminAuthenticator.CALLER) Caller caller) {
    return AdminJson.ok(
        RuleEditor.callRepository(() -> repository.audit(MAX_ENTRIES)).stream()
            .map(HistoryController::describe)
            .toList());
  }

  private static Map<String, Object> describe(AuditEntry entry) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("at", entry.at().toEpochMilli());
    fields.put("by", entry.by());
    fields.put("action", entry.action());
    entry.ruleId().ifPresent(id -> fields.put("ruleId", id));
    entry.ruleSetId().ifPresent(id -> fields.put("ruleSetId", id));
    entry.version().ifPresent(version -> fields.put("version", version));
    entry.before().ifPresent(json -> fields.put("before", AdminJson.MAPPER.readTree(json)));
    entry.after().ifPresent(json -> fields.put("after", AdminJson.MAPPER.readTree(json)));
    return fields;
  }
}
