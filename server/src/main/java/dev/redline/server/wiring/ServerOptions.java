package dev.redline.server.wiring;

import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * The inputs of the configuration of a server.
 *
 * @param flags properties of the command line, such as {@code rl.server.port}; the strongest
 * @param variables the environment variables
 * @param config a Spring configuration file; the weakest
 */
public record ServerOptions(
    Map<String, String> flags, Map<String, String> variables, Optional<Path> config) {
  /** Copies the maps. */
  public ServerOptions {
    flags = Map.copyOf(flags);
    variables = Map.copyOf(variables);
  }

  /** Returns options of flags alone, in the environment of this process. */
  public static ServerOptions of(Map<String, String> flags) {
    return new ServerOptions(flags, System.getenv(), Optional.empty());
  }
}
