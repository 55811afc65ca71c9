package dev.redline.spring.boot.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;

/**
 * Limits the application under test, with buckets in memory and a clock that the test moves. For
 * {@code @WebMvcTest} and {@code @WebFluxTest}, which limit nothing without it, and for
 * {@code @SpringBootTest}, where it replaces the store of the application.
 *
 * <pre>{@code
 * @WebMvcTest(OrderController.class)
 * @AutoConfigureRedline
 * class OrderLimitsTest {
 *   @Autowired MockMvc mvc;
 *   @Autowired ManualClock clock;
 *
 *   @Test
 *   void sixthOrderOfAMinuteIsDenied() throws Exception {
 *     for (int i = 4; i >= 0; i--) {
 *       mvc.perform(get("/orders")).andExpect(allowed(5, i));
 *     }
 *     mvc.perform(get("/orders")).andExpect(denied());
 *     clock.advance(Duration.ofMinutes(1));
 *     mvc.perform(get("/orders")).andExpect(allowed(5, 4));
 *   }
 * }
 * }</pre>
 *
 * <p>Before each test all buckets are full, and the clock ({@link dev.redline.testkit.ManualClock})
 * is at its start. Waiting for a refill waits in real time, for which the clock is of no use. Rules
 * come from the sources of the application's configuration; {@code rl.config.source=INLINE} in a
 * test leaves out those of other servers. {@code rl.handler=REMOTE} has no effect: the engine of
 * the test decides, without the rules of the server.
 */
@Documented
@Inherited
@ImportAutoConfiguration
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface AutoConfigureRedline {}
