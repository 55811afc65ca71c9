package dev.redline.bench;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** A new JVM that runs one part of a benchmark, so that parts do not share JIT profiles. */
public final class ChildJvm {
  private ChildJvm() {}

  /** Returns the path of the {@code java} that runs this program. */
  public static String java() {
    return Path.of(System.getProperty("java.home"), "bin", "java").toString();
  }

  /** Returns the command that runs this program's main class with the given arguments. */
  public static List<String> command(List<String> jvmOptions, List<String> arguments) {
    List<String> command = new ArrayList<>();
    command.add(java());
    command.addAll(jvmOptions);
    command.add("-cp");
    command.add(classPath());
    command.add(Main.class.getName());
    command.addAll(arguments);
    return command;
  }

  /** Returns the class path with absolute paths. */
  private static String classPath() {
    return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
        .map(entry -> Path.of(entry).toAbsolutePath().toString())
        .collect(Collectors.joining(File.pathSeparator));
  }

  /** Runs until the JVM ends, and returns the lines of its standard output. */
  public static List<String> run(List<String> jvmOptions, List<String> arguments)
      throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(command(jvmOptions, arguments))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    List<String> lines = new ArrayList<>();
    try (BufferedReader reader =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        lines.add(line);
      }
    } finally {
      process.destroy();
    }
    int status = process.waitFor();
    if (status != 0) {
      throw new IOException("the JVM for " + arguments + " ended with status " + status);
    }
    return lines;
  }
}
