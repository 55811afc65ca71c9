package dev.redline.spring.boot.starter;

import dev.redline.spring.behaviour.WebFluxSliceApplication;
import dev.redline.spring.behaviour.WebFluxSliceBehaviour;
import dev.redline.spring.boot.test.AutoConfigureRedline;
import org.springframework.boot.webflux.test.autoconfigure.WebFluxTest;
import org.springframework.test.context.ContextConfiguration;

@WebFluxTest(
    properties = {
      "rl.rules[0].id=filtered",
      "rl.rules[0].path=/filtered",
      "rl.rules[0].limit=1/m",
      "rl.handler=REMOTE",
      "rl.remote.uri=http://127.0.0.1:1"
    })
@AutoConfigureRedline
@ContextConfiguration(classes = WebFluxSliceApplication.class)
class Boot4WebFluxSliceTest extends WebFluxSliceBehaviour {}
