package dev.redline.testkit.internal;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A process that never outlives this JVM, even if the JVM is killed. Thread-safe.
 *
 * <p>A shell is its parent and reads a pipe from this JVM. When the pipe ends, because the JVM did,
 * the shell kills the process and removes its folder.
 */
public final class ChildProcess {
  /**
   * Arguments: the folder, the file for the output, the command. The outer shell waits for the
   * process, the inner one for the pipe. A line in the pipe is the order to kill the process; the
   * end of the pipe means that the JVM has ended, so the shell also removes the folder.
   */
  private static final String WATCHDOG =
      """
      folder=$1 output=$2
      shift 2
      exec 3<&0
      "$@" < /dev/null > "$output" 2>&1 3<&- &
      child=$!
      (
        read -r order <&3 || order='end of JVM'
        trap '' TERM
        kill -KILL $child
        if [ -n "$order" ]; then rm -rf "$folder"; fi
      ) > /dev/null &
      watchdog=$!
      echo $child
      wait $child
      status=$?
      kill $watchdog
      exit $status
      """;

  private final Process shell;
  private final long pid;

  private ChildProcess(Process shell, long pid) {
    this.shell = shell;
    this.pid = pid;
  }

  /**
   * Starts a process.
   *
   * @param folder is removed with all it contains if the JVM ends before the process
   * @param output is overwritten with standard output and standard error
   */
  public static ChildProcess start(Path folder, Path output, List<String> command) {
    List<String> words = new ArrayList<>(List.of("sh", "-c", WATCHDOG, "watchdog"));
    words.add(folder.toString());
    words.add(output.toString());
    words.addAll(command);
    try {
      Process shell =
          new ProcessBuilder(words).redirectError(ProcessBuilder.Redirect.DISCARD).start();
      String pid = shell.inputReader(StandardCharsets.US_ASCII).readLine();
      if (pid == null) {
        throw new IllegalStateException("no process: " + command);
      }
      return new ChildProcess(shell, Long.parseLong(pid));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the id of the process itself. */
  public long pid() {
    return pid;
  }

  /** Returns whether the process runs. */
  public boolean isAlive() {
    return shell.isAlive();
  }

  /** Kills the process at once and waits for its end. */
  public void kill() {
    OutputStream pipe = shell.getOutputStream();
    try {
      pipe.write('\n');
      pipe.flush();
    } catch (IOException e) {
      // The process ended by itself, and with it the reader of the pipe.
    }
    await(shell);
  }

  /** Sends the process a signal: {@code STOP}, {@code CONT}, … */
  public void signal(String name) {
    try {
      await(new ProcessBuilder("kill", "-" + name, Long.toString(pid)).start());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void await(Process ending) {
    try {
      if (!ending.waitFor(10, TimeUnit.SECONDS)) {
        throw new IllegalStateException("process " + ending.pid() + " does not end");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  /** Removes a folder with all it contains, if it exists. */
  public static void remove(Path folder) {
    if (Files.notExists(folder)) {
      return;
    }
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
