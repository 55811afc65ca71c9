package dev.redline.server.cli;

import dev.redline.assembly.RuleSourceSettings;
import dev.redline.server.management.ServerVersion;
import dev.redline.server.settings.ObservabilitySettings.LogFormat;
import dev.redline.server.settings.ServerSettings;
import dev.redline.server.wiring.RedlineServer;
import dev.redline.server.wiring.ServerOptions;
import dev.redline.server.wiring.StartupFailure;
import java.io.PrintStream;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Runs the service until the process is stopped. */
final class ServeCommand implements Command {
  private static final Logger LOG = System.getLogger(ServeCommand.class.getName());
  private static final Map<String, String> PROPERTIES =
      Map.of(
          "--rules", "rl.config.path",
          "--port", "rl.server.port",
          "--management-port", "rl.server.management-port");
  private static final Set<String> OPTIONS =
      Set.of("--rules", "--port", "--management-port", "--config", "--rl.");

  @Override
  public String name() {
    return "serve";
  }

  @Override
  public String usage() {
    return "serve [--rules FILE] [--port 8080] [--management-port 9090] [--config FILE]"
        + " [--rl.PROPERTY=VALUE]…";
  }

  @Override
  public String summary() {
    return "runs the service; without flags, in memory and with example rules";
  }

  @Override
  public int run(List<String> words, Terminal terminal) {
    Arguments arguments = Arguments.parse(words, OPTIONS, Set.of());
    if (!arguments.rest().isEmpty()) {
      throw new UsageException("'" + arguments.rest().get(0) + "' is not understood");
    }
    Optional<Path> config = arguments.one("--config").map(Path::of);
    if (config.isPresent()) {
      Optional<String> problem = problemWith(config.get());
      if (problem.isPresent()) {
        terminal.err().println(config.get() + ": " + problem.get());
        return Redline.FAILED;
      }
    }
    ServerOptions options = new ServerOptions(flags(arguments), terminal.variables(), config);
    try {
      @SuppressWarnings("resource") // runs until the process ends, which closes it
      RedlineServer server = RedlineServer.start(options);
      if (server.settings().observability().logFormat() == LogFormat.JSON) {
        logSummary(server);
      } else {
        printSummary(server, terminal.out());
      }
      return Redline.KEEP_RUNNING;
    } catch (StartupFailure e) {
      e.lines().forEach(terminal.err()::println);
      return Redline.FAILED;
    }
  }

  private static Optional<String> problemWith(Path config) {
    String name = config.toString();
    if (!Files.isRegularFile(config)) {
      return Optional.of("no such file");
    }
    return name.endsWith(".yaml") || name.endsWith(".yml") || name.endsWith(".properties")
        ? Optional.empty()
        : Optional.of("must be a *.yaml, *.yml or *.properties file");
  }

  private static Map<String, String> flags(Arguments arguments) {
    Map<String, String> flags = new LinkedHashMap<>();
    for (String name : arguments.names()) {
      if (name.startsWith("--rl.")) {
        arguments.one(name).ifPresent(value -> flags.put(name.substring(2), value));
      }
    }
    PROPERTIES.forEach(
        (option, property) -> arguments.one(option).ifPresent(value -> flags.put(property, value)));
    return flags;
  }

  /** The summary as one line of the log: in JSON, so that every line of the output is. */
  private static void logSummary(RedlineServer server) {
    LOG.log(
        Level.INFO,
        "Redline {0} is ready; decisions on port {1}, management on port {2}",
        ServerVersion.current(),
        Integer.toString(server.port()),
        Integer.toString(server.managementPort()));
  }

  private static void printSummary(RedlineServer server, PrintStream out) {
    ServerSettings settings = server.settings();
    String host = settings.server().host();
    String scheme = settings.server().tls().isPresent() ? "https://" : "http://";
    String check = scheme + reachable(host) + ":" + server.port() + "/v1/check";
    String management =
        "http://" + reachable(settings.server().managementHost()) + ":" + server.managementPort();
    boolean example =
        settings.config().path().isEmpty() && settings.config().names().equals(List.of("FILE"));
    out.println("Redline " + ServerVersion.current() + " is ready.");
    out.println("  decisions   " + check);
    out.println("  management  " + management + "/actuator/health");
    out.println(
        "  rules       "
            + (example
                ? "the bundled example: 5 requests a minute per address on /api/**"
                : rules(settings.config())));
    server
        .adminTokenFile()
        .ifPresent(
            file ->
                out.println(
                    "  admin       "
                        + management
                        + "/admin/v1, token in "
                        + file.toAbsolutePath().normalize()));
    String memory = server.storesInMemory() ? ", in memory" : "";
    out.println("  store       " + settings.storage().type() + memory);
    out.println();
    if (example) {
      out.println("Next: run this six times; the sixth response is 429, with the time to wait.");
    } else {
      out.println("Next: describe a request and see how your rules decide it.");
    }
    out.println();
    out.println(
        "  curl -i "
            + check
            + " -H 'Content-Type: application/json' -d '{\"request\":{\"path\":\"/api/hello\","
            + "\"method\":\"GET\",\"clientIp\":\"203.0.113.7\"}}'");
    if (example) {
      out.println();
      out.println("Then use your own rules: redline serve --rules rules.yaml");
    }
    out.flush();
  }

  private static String rules(RuleSourceSettings config) {
    return String.join(", ", config.names())
        + config.path().map(path -> " from " + path).orElse("");
  }

  private static String reachable(String host) {
    boolean any = host.equals("0.0.0.0") || host.equals("::");
    return any ? "localhost" : host.indexOf(':') >= 0 ? "[" + host + "]" : host;
  }
}
