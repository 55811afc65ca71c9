package dev.redline.samples.jakarta.server;

import dev.redline.jakarta.RedlineInitializer;
import dev.redline.samples.jakarta.FailureMapper;
import dev.redline.samples.jakarta.JakartaSampleResource;
import jakarta.enterprise.inject.se.SeContainer;
import jakarta.enterprise.inject.se.SeContainerInitializer;
import jakarta.servlet.ServletRegistration;
import java.io.IOException;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.glassfish.grizzly.http.server.HttpServer;
import org.glassfish.grizzly.http.server.NetworkListener;
import org.glassfish.grizzly.servlet.WebappContext;
import org.glassfish.jersey.server.ResourceConfig;
import org.glassfish.jersey.servlet.ServletContainer;

/**
 * The application on Weld, Jersey and the servlet container of Grizzly: a small server of which
 * every part is a Maven artifact. Application servers start Redline by themselves; here one line
 * registers its filter.
 */
public final class JakartaSampleServer implements AutoCloseable {
  private static final String PORT = "--server.port=";
  private static final int DEFAULT_PORT = 8088;

  private final SeContainer beans;
  private final HttpServer http;

  private JakartaSampleServer(SeContainer beans, HttpServer http) {
    this.beans = beans;
    this.http = http;
  }

  /** Runs the sample until the process ends; {@code --server.port=P} sets the port. */
  public static void main(String[] args) throws IOException, InterruptedException {
    int port = DEFAULT_PORT;
    for (String arg : args) {
      if (arg.startsWith(PORT)) {
        port = Integer.parseInt(arg.substring(PORT.length()));
      } else if (arg.startsWith("--rl.") && arg.contains("=")) {
        System.setProperty(arg.substring(2, arg.indexOf('=')), arg.substring(arg.indexOf('=') + 1));
      } else {
        throw new IllegalArgumentException("unknown option " + arg);
      }
    }
    JakartaSampleServer server = start(port);
    Runtime.getRuntime().addShutdownHook(new Thread(server::close));
    System.out.println("The sample listens on port " + server.port());
    new CountDownLatch(1).await();
  }

  /** Starts the sample; port 0 is a free one. */
  public static JakartaSampleServer start(int port) throws IOException {
    SeContainer beans = SeContainerInitializer.newInstance().initialize();
    try {
      WebappContext application = new WebappContext("sample", "");
      ServletRegistration.Dynamic rest =
          application.addServlet(
              "rest",
              new ServletContainer(
                  new ResourceConfig(JakartaSampleResource.class, FailureMapper.class)));
      rest.setAsyncSupported(true);
      rest.setLoadOnStartup(1);
      rest.addMapping("/*");
      new RedlineInitializer().onStartup(Set.of(), application);
      HttpServer http = new HttpServer();
      http.addListener(new NetworkListener("http", NetworkListener.DEFAULT_NETWORK_HOST, port));
      application.deploy(http);
      http.start();
      return new JakartaSampleServer(beans, http);
    } catch (IOException | RuntimeException e) {
      beans.close();
      throw e;
    }
  }

  /** Returns the port. */
  public int port() {
    return http.getListener("http").getPort();
  }

  /** Stops the server, then the engine. */
  @Override
  public void close() {
    http.shutdownNow();
    if (beans.isRunning()) {
      beans.close();
    }
  }
}
