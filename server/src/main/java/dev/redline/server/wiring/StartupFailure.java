package dev.redline.server.wiring;

import java.net.BindException;
import java.util.List;
import java.util.Optional;
import org.springframework.boot.web.server.PortInUseException;
import org.yaml.snakeyaml.error.YAMLException;

/** Thrown when the service cannot start for reasons that the user can fix; one line per reason. */
public final class StartupFailure extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final List<String> lines;

  StartupFailure(List<String> lines, Throwable cause) {
    super(String.join(System.lineSeparator(), lines), cause);
    this.lines = List.copyOf(lines);
  }

  StartupFailure(List<String> lines) {
    super(String.join(System.lineSeparator(), lines));
    this.lines = List.copyOf(lines);
  }

  /** Returns the reasons. */
  public List<String> lines() {
    return lines;
  }

  /** Returns the failure as one that the user can fix; empty if it is a bug. */
  static Optional<StartupFailure> behind(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof StartupFailure known) {
        return Optional.of(known);
      }
      if (cause instanceof PortInUseException taken) {
        String line =
            "cannot listen on management port "
                + taken.getPort()
                + ": it is in use; choose another with --management-port"
                + " (rl.server.management-port)";
        return Optional.of(new StartupFailure(List.of(line), failure));
      }
      if (cause instanceof BindException bind) {
        // The data plane names its own properties; only the management port is left.
        String line =
            "cannot listen on the management port: "
                + bind.getMessage()
                + "; see rl.server.management-host and rl.server.management-port";
        return Optional.of(new StartupFailure(List.of(line), failure));
      }
      if (cause instanceof YAMLException broken) {
        return Optional.of(
            new StartupFailure(
                List.of("the configuration file is not valid YAML: " + broken.getMessage()),
                failure));
      }
    }
    return Optional.empty();
  }
}
