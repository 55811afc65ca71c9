package dev.redline.server.cli;

import dev.redline.rules.documents.ReadResult;
import dev.redline.rules.documents.RuleProblem;
import dev.redline.rules.documents.reading.RuleDocumentReader;
import java.util.List;
import java.util.Set;

/** Reads rule documents as the service would, and prints all errors and warnings. */
final class ValidateCommand implements Command {
  @Override
  public String name() {
    return "validate";
  }

  @Override
  public String usage() {
    return "validate [--strict] FILE…|-";
  }

  @Override
  public String summary() {
    return "checks rule documents; with --strict, warnings count as errors";
  }

  @Override
  public int run(List<String> words, Terminal terminal) {
    Arguments arguments = Arguments.parse(words, Set.of(), Set.of("--strict"));
    if (arguments.rest().isEmpty()) {
      throw new UsageException("name a file or directory, or - for standard input");
    }
    RuleFiles files = RuleFiles.read(arguments.rest(), terminal.in());
    ReadResult read =
        RuleDocumentReader.withPlaceholders(terminal.variables()::get)
            .warningOfWaits()
            .read(files.documents());
    files.errors().forEach(terminal.out()::println);
    boolean unread = files.documents().isEmpty();
    List<RuleProblem> errors = unread ? List.of() : read.errors();
    errors.forEach(terminal.out()::println);
    read.warnings().forEach(warning -> terminal.out().println(warning + " (warning)"));
    if (!files.errors().isEmpty() || !errors.isEmpty()) {
      return Redline.FAILED;
    }
    if (arguments.has("--strict") && !read.warnings().isEmpty()) {
      return Redline.FAILED;
    }
    terminal
        .out()
        .println(
            "valid: "
                + count(read.document().rules().size(), "rule")
                + ", "
                + count(read.document().plans().size(), "plan"));
    return Redline.DONE;
  }

  private static String count(int number, String what) {
    return number + " " + what + (number == 1 ? "" : "s");
  }
}
