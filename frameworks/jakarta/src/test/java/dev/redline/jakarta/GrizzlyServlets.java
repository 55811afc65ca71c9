package dev.redline.jakarta;

import jakarta.servlet.ServletRegistration;
import java.io.IOException;
import java.util.Set;
import org.glassfish.grizzly.http.server.HttpServer;
import org.glassfish.grizzly.http.server.NetworkListener;
import org.glassfish.grizzly.servlet.WebappContext;
import org.glassfish.jersey.server.ResourceConfig;
import org.glassfish.jersey.servlet.ServletContainer;

/** Resources in the servlet container of Grizzly, behind the filters of Redline. */
final class GrizzlyServlets {
  private GrizzlyServlets() {}

  /**
   * Starts a server on a free port.
   *
   * @param contextPath the path of the application
   * @param mapping the paths of its resources
   */
  static HttpServer start(ResourceConfig application, String contextPath, String mapping)
      throws IOException {
    WebappContext context = new WebappContext("test", contextPath);
    ServletRegistration.Dynamic rest =
        context.addServlet("rest", new ServletContainer(application));
    rest.setAsyncSupported(true);
    rest.addMapping(mapping);
    new RedlineInitializer().onStartup(Set.of(), context);
    HttpServer server = new HttpServer();
    server.addListener(new NetworkListener("http", "127.0.0.1", 0));
    context.deploy(server);
    server.start();
    return server;
  }
}
