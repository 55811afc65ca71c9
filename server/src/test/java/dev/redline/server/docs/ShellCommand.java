package dev.redline.server.docs;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * A command that the documentation shows, and the output it shows for it.
 *
 * @param output the lines shown below the command; empty if none
 */
record ShellCommand(String place, String text, List<String> output) {
  private static final Pattern SERVE = Pattern.compile("^(\\w+=\\S+\\s+)*\\./redline serve\\b");

  /**
   * Reads the commands of a block. In a {@code console} block a command starts with {@code $} and
   * what follows it is its output; a {@code sh} block has commands only.
   */
  static List<ShellCommand> of(FencedBlock block) {
    List<ShellCommand> commands = new ArrayList<>();
    boolean console = block.language().equals("console");
    List<String> lines = block.lines();
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i);
      if (console && !line.startsWith("$ ")) {
        if (commands.isEmpty()) {
          throw new IllegalStateException(block.place() + ": output before the first command");
        }
        commands.get(commands.size() - 1).output.add(line);
        continue;
      }
      if (line.isBlank() || line.startsWith("#")) {
        continue;
      }
      StringBuilder text = new StringBuilder(console ? line.substring(2) : line);
      while (!isComplete(text.toString()) && i + 1 < lines.size()) {
        text.append('\n').append(lines.get(++i));
      }
      commands.add(new ShellCommand(block.place(), text.toString(), new ArrayList<>()));
    }
    return commands;
  }

  /** Returns whether bash would run it, and not wait for the rest. */
  private static boolean isComplete(String text) {
    if (text.endsWith("\\")) {
      return false;
    }
    try {
      Process bash = new ProcessBuilder("bash", "-n").redirectErrorStream(true).start();
      try (var in = bash.getOutputStream()) {
        in.write((text + "\n").getBytes(StandardCharsets.UTF_8));
      }
      boolean silent = bash.getInputStream().readAllBytes().length == 0;
      return bash.waitFor() == 0 && silent;
    } catch (IOException e) {
      throw new IllegalStateException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /** Returns whether it is a server, which runs until it is stopped. */
  boolean serves() {
    return SERVE.matcher(text).find();
  }

  /** Returns the output as a pattern: {@code …} is any text, and alone on a line any lines. */
  Pattern expected() {
    StringBuilder pattern = new StringBuilder();
    for (String line : output) {
      if (line.strip().equals("…")) {
        pattern.append("(.*\n)*");
      } else {
        for (String part : line.split("(?=…)|(?<=…)", -1)) {
          pattern.append(part.equals("…") ? ".*" : Pattern.quote(part));
        }
        pattern.append('\n');
      }
    }
    return Pattern.compile(pattern.toString());
  }
}
