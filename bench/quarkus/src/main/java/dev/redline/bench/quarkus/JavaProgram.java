package dev.redline.bench.quarkus;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Runs jars in JVMs of their own, so that they do not share JIT profiles. */
final class JavaProgram {
  private JavaProgram() {}

  /** Returns the command that runs a jar. */
  static List<String> command(Path jar, List<String> options, String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-Xmx256m");
    command.addAll(options);
    command.add("-jar");
    command.add(jar.toString());
    command.addAll(List.of(arguments));
    return command;
  }

  static BufferedReader output(Process process) {
    return new BufferedReader(
        new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
  }

  /** Runs a jar until it ends, and returns the last line it wrote. */
  static String lastLine(Path jar, String... arguments) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(command(jar, List.of(), arguments))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    String last = "";
    try (BufferedReader reader = output(process)) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        last = line.isBlank() ? last : line;
      }
    } finally {
      process.destroy();
    }
    if (process.waitFor() != 0) {
      throw new IOException(jar + " failed with " + List.of(arguments));
    }
    return last;
  }
}
