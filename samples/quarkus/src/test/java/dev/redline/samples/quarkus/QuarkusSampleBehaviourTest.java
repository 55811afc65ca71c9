package dev.redline.samples.quarkus;

import dev.redline.behaviour.SampleBehaviour;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import java.net.URI;

@QuarkusTest
class QuarkusSampleBehaviourTest extends SampleBehaviour {
  @TestHTTPResource URI base;

  @Override
  protected URI baseUri() {
    return base;
  }
}
