package dev.redline.server.client;

import dev.redline.assembly.AssemblySettings;
import dev.redline.assembly.HostProfile;
import dev.redline.assembly.Plugins;
import dev.redline.assembly.RedlineAssembly;
import dev.redline.core.RateLimitResult;
import dev.redline.core.key.RequestContext;
import dev.redline.server.TestServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.HashMap;
import java.util.Map;

/** An application with {@code rl.handler=REMOTE}, and the service that decides for it. */
final class RemoteApplication {
  static final String ADMIN = "token-of-an-admin-viewer";

  private RemoteApplication() {}

  /** Starts a service whose rules the application may read. */
  static TestServer server(String rules, Map<String, String> more) throws IOException {
    Map<String, String> properties = new HashMap<>();
    properties.put("rl.admin.tokens.app.role", "viewer");
    properties.put("rl.admin.tokens.app.value", ADMIN);
    properties.putAll(more);
    return TestServer.start(rules, properties);
  }

  /** Starts an application, patient since the machine may be busy. */
  static RedlineAssembly start(String uri, Map<String, String> more) {
    Map<String, String> properties = new HashMap<>();
    properties.put("rl.handler", "REMOTE");
    properties.put("rl.remote.uri", uri);
    properties.put("rl.remote.timeout", "10s");
    properties.put("rl.config.remote.token", ADMIN);
    properties.putAll(more);
    ClassLoader loader = RemoteApplication.class.getClassLoader();
    AssemblySettings settings =
        AssemblySettings.parse(properties, Plugins.load(loader), HostProfile.application());
    return RedlineAssembly.builder(settings).start();
  }

  static String uri(TestServer server) {
    return "http://localhost:" + server.server().port();
  }

  static RateLimitResult check(RedlineAssembly application, String path, String user)
      throws InterruptedException {
    RequestContext request = RequestContext.builder().path(path).userId(user).build();
    return application.engine().check(request);
  }

  static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }
}
