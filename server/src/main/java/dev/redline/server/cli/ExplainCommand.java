package dev.redline.server.cli;

import dev.redline.core.Explanation;
import dev.redline.core.LimitCheck;
import dev.redline.core.RateLimitEngine;
import dev.redline.core.UnknownNameException;
import dev.redline.core.key.RequestContext;
import dev.redline.core.memory.LocalStore;
import dev.redline.core.settings.InvalidSettingsException;
import dev.redline.rules.documents.ReadResult;
import dev.redline.rules.documents.reading.RuleDocumentReader;
import dev.redline.server.data.ExplanationJson;
import dev.redline.server.settings.ServerSettings;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.function.BiConsumer;

/** Prints which rules match a request and which do not, without a running service. */
final class ExplainCommand implements Command {
  private static final Set<String> OPTIONS =
      Set.of(
          "--rules",
          "--rule-set",
          "--ip",
          "--user",
          "--api-key",
          "--header",
          "--attribute",
          "--cost");

  @Override
  public String name() {
    return "explain";
  }

  @Override
  public String usage() {
    return "explain --rules FILE METHOD PATH [--ip ADDRESS] [--user ID] [--api-key KEY]"
        + " [--header NAME=VALUE]… [--attribute NAME=VALUE]… [--rule-set ID] [--cost N]";
  }

  @Override
  public String summary() {
    return "prints which rules match a request, and why others do not";
  }

  @Override
  public int run(List<String> words, Terminal terminal) {
    Arguments arguments = Arguments.parse(words, OPTIONS, Set.of());
    String rules =
        arguments.one("--rules").orElseThrow(() -> new UsageException("--rules FILE is missing"));
    LimitCheck check = new LimitCheck.OfRequest(arguments.one("--rule-set"), request(arguments));
    ServerSettings settings;
    try {
      settings = ServerSettings.parse(ServerSettings.CATALOG.environment(terminal.variables()));
    } catch (InvalidSettingsException e) {
      e.problems().forEach(terminal.err()::println);
      return Redline.FAILED;
    }
    RuleFiles files = RuleFiles.read(List.of(rules), terminal.in());
    if (!files.errors().isEmpty()) {
      files.errors().forEach(terminal.err()::println);
      return Redline.FAILED;
    }
    ReadResult read =
        RuleDocumentReader.withPlaceholders(terminal.variables()::get).read(files.documents());
    if (!read.valid()) {
      read.errors().forEach(terminal.err()::println);
      return Redline.FAILED;
    }
    return explain(check, read, settings, terminal);
  }

  private static RequestContext request(Arguments arguments) {
    List<String> rest = arguments.rest();
    if (rest.size() != 2) {
      throw new UsageException("a method and a path are needed, such as GET /api/x");
    }
    RequestContext.Builder request = RequestContext.builder().method(rest.get(0)).path(rest.get(1));
    try {
      arguments.one("--ip").ifPresent(request::clientIp);
      request.cost(arguments.one("--cost").map(Long::parseLong).orElse(1L));
    } catch (NumberFormatException e) {
      throw new UsageException("--cost must be a whole number");
    } catch (IllegalArgumentException e) {
      throw new UsageException(String.valueOf(e.getMessage()));
    }
    arguments.one("--user").ifPresent(request::userId);
    arguments.one("--api-key").ifPresent(request::apiKey);
    pairs(arguments, "--header", request::header);
    pairs(arguments, "--attribute", request::attribute);
    return request.build();
  }

  private static void pairs(Arguments arguments, String option, BiConsumer<String, String> sink) {
    for (String pair : arguments.all(option)) {
      int equals = pair.indexOf('=');
      if (equals < 1) {
        throw new UsageException(option + " must be NAME=VALUE, was '" + pair + "'");
      }
      sink.accept(pair.substring(0, equals), pair.substring(equals + 1));
    }
  }

  private static int explain(
      LimitCheck check, ReadResult read, ServerSettings settings, Terminal terminal) {
    try (LocalStore store = new LocalStore()) {
      RateLimitEngine engine =
          RateLimitEngine.builder(store)
              .settings(settings.core().engine())
              .book(
                  read.document().toBook().identity(settings.core().identity().settings()).build())
              .build();
      Explanation explanation = engine.explain(check).toCompletableFuture().join();
      terminal.out().println(ExplanationJson.write(new StringBuilder(), explanation, "\n  "));
      return Redline.DONE;
    } catch (CompletionException e) {
      Optional<UnknownNameException> unknown =
          Optional.ofNullable(e.getCause())
              .filter(UnknownNameException.class::isInstance)
              .map(UnknownNameException.class::cast);
      terminal.err().println("redline explain: " + unknown.orElseThrow(() -> e).getMessage());
      return Redline.FAILED;
    }
  }
}
