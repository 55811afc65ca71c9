package dev.redline.server.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Runs the commands of one file in one bash, so that variables and processes are shared. */
final class ShellSession {
  /**
   * A server replaces the one before. It ends with the pipe that is the standard input, hence with
   * the JVM of the test.
   */
  private static final String PRELUDE =
      """
      exec 3<&0 < /dev/null
      # A status of 400 or more fails the command that shows no output.
      curl() { command curl --fail-with-body --no-progress-meter --max-time 30 "$@"; }
      server=
      stop() {
        if [[ -n $server ]]; then kill "$server" "$watchdog"; wait "$server"; fi 2> /dev/null
      }
      trap stop EXIT
      await() {
        for ((i = 0; i < 600; i++)); do
          command curl -sf "localhost:$RL_SERVER_MANAGEMENT_PORT/actuator/health/readiness" && return
          kill -0 "$server" 2> /dev/null || return 1
          sleep 0.1
        done
        return 1
      }
      guard() {
        server=$1
        (read -r _ <&3; kill -KILL "$server") 2> /dev/null &
        watchdog=$!
        await > /dev/null
      }
      """;

  /** The exit status of a command, its standard output and its standard error. */
  record Outcome(ShellCommand command, int status, String output, String errors) {}

  private final Path directory;
  private final Map<String, String> environment;
  private final List<ShellCommand> commands = new ArrayList<>();
  private final StringBuilder script = new StringBuilder(PRELUDE);

  ShellSession(Path directory, Map<String, String> environment) {
    this.directory = directory;
    this.environment = environment;
  }

  /** Adds a file that the commands after it find. */
  void write(String name, String content) throws IOException {
    Path file = directory.resolve(name + "." + commands.size());
    Files.writeString(file, content);
    script.append("cp ").append(file.getFileName()).append(' ').append(name).append('\n');
  }

  /** Adds a command; {@code text} is what to run for it. */
  void add(ShellCommand command, String text) {
    int number = commands.size();
    commands.add(command);
    String streams = " > output.%1$d 2> errors.%1$d\n".formatted(number);
    if (command.serves()) {
      script.append("stop\n{ ").append(text).append(" & }").append(streams).append("guard $!\n");
    } else {
      script.append("{ ").append(text).append("\n}").append(streams);
    }
    script.append("echo $? > status.").append(number).append('\n');
  }

  /** Runs it all and returns the outcome of each command. */
  List<Outcome> run() throws IOException, InterruptedException {
    Path file = Files.writeString(directory.resolve("session.sh"), script);
    Path log = directory.resolve("session.log");
    ProcessBuilder builder =
        new ProcessBuilder("bash", file.toAbsolutePath().toString())
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile());
    builder.environment().putAll(environment);
    Process bash = builder.start();
    try {
      if (!bash.waitFor(5, TimeUnit.MINUTES)) {
        throw new IllegalStateException("the commands do not end: " + Files.readString(log));
      }
    } finally {
      bash.descendants().forEach(ProcessHandle::destroyForcibly);
      bash.destroyForcibly();
    }
    List<Outcome> outcomes = new ArrayList<>();
    for (int i = 0; i < commands.size(); i++) {
      Path status = directory.resolve("status." + i);
      if (Files.notExists(status)) {
        throw new IllegalStateException(
            commands.get(i).place() + ": did not run: " + Files.readString(log));
      }
      outcomes.add(
          new Outcome(
              commands.get(i),
              Integer.parseInt(Files.readString(status).strip()),
              Files.readString(directory.resolve("output." + i)),
              Files.readString(directory.resolve("errors." + i))));
    }
    return outcomes;
  }
}
