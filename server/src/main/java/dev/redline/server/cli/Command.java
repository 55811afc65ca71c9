package dev.redline.server.cli;

import java.util.List;

/** One thing the command line can do. */
interface Command {
  /** Returns the word that calls it. */
  String name();

  /** Returns how it is called, after the program's name. */
  String usage();

  /** Returns what it does, in a few words. */
  String summary();

  /**
   * Does it.
   *
   * @return the exit code, or {@link Redline#KEEP_RUNNING}
   * @throws UsageException if the words are not understood
   */
  int run(List<String> words, Terminal terminal);
}
