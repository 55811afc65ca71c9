package dev.redline.server.cli;

import java.util.List;

/** One command of the command line. Register it in {@link Redline}. */
interface Command {
  /** Returns the name, which is the first word of the command line. */
  String name();

  /** Returns the usage line, without the program's name. */
  String usage();

  /** Returns a description in a few words. */
  String summary();

  /**
   * Runs the command.
   *
   * @param words the words after the name
   * @return the exit code, or {@link Redline#KEEP_RUNNING}
   * @throws UsageException if the words are not valid
   */
  int run(List<String> words, Terminal terminal);
}
