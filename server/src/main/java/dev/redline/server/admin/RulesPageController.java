package dev.redline.server.admin;

import dev.redline.server.access.Caller;
import dev.redline.server.rules.RulesPage;
import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;
import org.springframework.http.CacheControl;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RestController;

/** Endpoints for whole documents: the rules in force, and the OpenAPI description. */
@RestController
class RulesPageController {
  private final RulesPage.Maker pages;

  RulesPageController(RulesPage.Maker pages) {
    this.pages = pages;
  }

  @GetMapping(AdminPaths.RULES_PAGE)
  ResponseEntity<byte[]> rules(
      @RequestAttribute(AdminAuthenticator.CALLER) Caller caller,
      @RequestHeader(name = HttpHeaders.IF_NONE_MATCH, required = false) @Nullable String known) {
    RulesPage page =
        pages.current().orElseThrow(() -> new AdminProblem(503, "no rules were loaded yet"));
    boolean unchanged = known != null && RulesPage.names(known, page.etag(), true);
    ResponseEntity.BodyBuilder response =
        ResponseEntity.status(unchanged ? 304 : 200)
            .eTag(page.etag())
            .cacheControl(CacheControl.noCache().cachePrivate());
    return unchanged ? response.build() : AdminJson.text(response, page.json());
  }

  @GetMapping(AdminPaths.ROOT + "/openapi.json")
  ResponseEntity<byte[]> openApi() throws IOException {
    try (InputStream in = RulesPageController.class.getResourceAsStream("openapi.json")) {
      if (in == null) {
        throw new IOException("openapi.json is missing");
      }
      return ResponseEntity.ok().contentType(MediaType.APPLICATION_JSON).body(in.readAllBytes());
    }
  }
}
