package dev.redline.samples.jakarta;

import dev.redline.behaviour.SampleBehaviour;
import dev.redline.samples.jakarta.server.JakartaSampleServer;
import java.io.IOException;
import java.net.URI;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class JakartaSampleBehaviourTest extends SampleBehaviour {
  private static JakartaSampleServer server;

  @BeforeAll
  static void start() throws IOException {
    server = JakartaSampleServer.start(0);
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @Override
  protected URI baseUri() {
    return URI.create("http://127.0.0.1:" + server.port());
  }
}
