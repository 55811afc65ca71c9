package dev.redline.server.cli;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * What a command talks to.
 *
 * @param in standard input
 * @param out answers
 * @param err complaints
 * @param variables the environment variables
 */
public record Terminal(
    InputStream in, PrintStream out, PrintStream err, Map<String, String> variables) {
  /** Returns the terminal of this process, which speaks UTF-8 whatever the locale. */
  static Terminal ofProcess() {
    return new Terminal(
        System.in, utf8(FileDescriptor.out), utf8(FileDescriptor.err), System.getenv());
  }

  private static PrintStream utf8(FileDescriptor descriptor) {
    return new PrintStream(new FileOutputStream(descriptor), true, StandardCharsets.UTF_8);
  }
}
