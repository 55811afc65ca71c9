package dev.redline.server.cli;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * The input and output of a command.
 *
 * @param in standard input
 * @param out results
 * @param err errors
 * @param variables the environment variables
 */
record Terminal(InputStream in, PrintStream out, PrintStream err, Map<String, String> variables) {
  /** Returns the streams of this process; output is UTF-8 in every locale. */
  static Terminal ofProcess() {
    return new Terminal(
        System.in, utf8(FileDescriptor.out), utf8(FileDescriptor.err), System.getenv());
  }

  private static PrintStream utf8(FileDescriptor descriptor) {
    return new PrintStream(new FileOutputStream(descriptor), true, StandardCharsets.UTF_8);
  }
}
