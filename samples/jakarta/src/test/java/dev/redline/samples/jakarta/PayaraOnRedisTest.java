package dev.redline.samples.jakarta;

import dev.redline.behaviour.SampleBehaviour;
import java.net.URI;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("servers")
class PayaraOnRedisTest extends SampleBehaviour {
  @RegisterExtension
  static final ServerUnderTest SERVER = ServerUnderTest.onRedis(ApplicationServer::payara);

  @Override
  protected URI baseUri() {
    return SERVER.uri();
  }
}
