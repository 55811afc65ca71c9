package dev.redline.server.cli;

import dev.redline.server.management.ServerVersion;
import java.io.PrintStream;
import java.util.Arrays;
import java.util.List;

/**
 * The entry of the command line. Exit codes: 0 success, 1 failure (such as invalid rules, or a
 * service that could not start), 2 wrong usage.
 */
public final class Redline {
  /** Returned instead of an exit code by a command whose threads keep running. */
  static final int KEEP_RUNNING = -1;

  static final int DONE = 0;
  static final int FAILED = 1;
  static final int WRONG_USAGE = 2;

  /** Handled by the launcher script, which runs the bench module. */
  private static final String BENCH = "bench";

  private static final List<Command> COMMANDS =
      List.of(
          new ServeCommand(), new ValidateCommand(), new ExplainCommand(), new InspectCommand());

  private Redline() {}

  /** Runs a command and ends the process, unless it is a service. */
  public static void main(String[] words) {
    int code = run(Arrays.asList(words), Terminal.ofProcess());
    if (code != KEEP_RUNNING) {
      System.exit(code);
    }
  }

  /** Runs a command; returns its exit code, or {@link #KEEP_RUNNING}. */
  static int run(List<String> words, Terminal terminal) {
    if (words.isEmpty()) {
      usage(terminal.err());
      return WRONG_USAGE;
    }
    String name = words.get(0);
    if (List.of("help", "--help", "-h").contains(name)) {
      usage(terminal.out());
      return DONE;
    }
    if (List.of("version", "--version").contains(name)) {
      terminal
          .out()
          .println(
              asksForHelp(words)
                  ? "usage: redline version" + System.lineSeparator() + "prints the version"
                  : "redline " + ServerVersion.current());
      return DONE;
    }
    for (Command command : COMMANDS) {
      if (command.name().equals(name)) {
        return run(command, words.subList(1, words.size()), terminal);
      }
    }
    if (name.equals(BENCH)) {
      if (asksForHelp(words)) {
        usage(terminal.out());
        return DONE;
      }
      terminal.err().println("redline: benchmarks run from a checkout: ./redline bench");
      return WRONG_USAGE;
    }
    terminal.err().println("redline: unknown command '" + name + "'");
    usage(terminal.err());
    return WRONG_USAGE;
  }

  private static int run(Command command, List<String> words, Terminal terminal) {
    if (asksForHelp(words)) {
      terminal.out().println("usage: redline " + command.usage());
      terminal.out().println(command.summary());
      return DONE;
    }
    try {
      return command.run(words, terminal);
    } catch (UsageException e) {
      terminal.err().println("redline " + command.name() + ": " + e.getMessage());
      terminal.err().println("usage: redline " + command.usage());
      return WRONG_USAGE;
    }
  }

  private static boolean asksForHelp(List<String> words) {
    return words.contains("--help") || words.contains("-h");
  }

  private static void usage(PrintStream to) {
    to.println("usage: redline COMMAND …");
    to.println();
    for (Command command : COMMANDS) {
      to.println("  redline " + command.usage());
      to.println("      " + command.summary());
    }
    to.println("  redline version");
    to.println("      prints the version");
    to.println(
        "  redline " + BENCH + " local|redis|hazelcast|jdbc|spring|quarkus|faults|http|scale");
    to.println("      measures against peers of the same run (from a checkout)");
  }
}
