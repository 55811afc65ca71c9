package dev.redline.bench.spring;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** New JVMs of this program, so that contenders do not share JIT profiles. */
final class ChildProcesses {
  private ChildProcesses() {}

  static Process start(String... arguments) throws IOException {
    String[] classPath = System.getProperty("java.class.path").split(java.io.File.pathSeparator);
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-Xmx256m");
    command.add("-cp");
    command.add(String.join(java.io.File.pathSeparator, classPath));
    // The jar has its classes inside, where only its own launcher finds them.
    command.add(
        classPath.length == 1
            ? "org.springframework.boot.loader.launch.JarLauncher"
            : SpringBench.class.getName());
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
  }

  /** Runs until the JVM ends, and returns the last line it wrote. */
  static String lastLine(String... arguments) throws IOException, InterruptedException {
    Process process = start(arguments);
    String last = "";
    try (BufferedReader reader =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        last = line.isBlank() ? last : line;
      }
    } finally {
      process.destroy();
    }
    if (process.waitFor() != 0) {
      throw new IOException("the JVM for " + List.of(arguments) + " failed");
    }
    return last;
  }
}
