package dev.redline.samples.quarkus;

import dev.redline.behaviour.SampleBehaviour;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import java.net.URI;
import org.junit.jupiter.api.Timeout;

/** The same suite with the buckets in Redis. */
@QuarkusTest
@QuarkusTestResource(value = SampleRedis.class, restrictToAnnotatedClass = true)
@Timeout(120)
class QuarkusRedisSampleBehaviourTest extends SampleBehaviour {
  @TestHTTPResource URI base;

  @Override
  protected URI baseUri() {
    return base;
  }
}
