package dev.redline.spring.boot.starter;

import dev.redline.spring.behaviour.MvcSliceApplication;
import dev.redline.spring.behaviour.MvcSliceBehaviour;
import dev.redline.spring.boot.test.AutoConfigureRedline;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.test.context.ContextConfiguration;

@WebMvcTest(
    properties = {
      "rl.rules[0].id=filtered",
      "rl.rules[0].path=/filtered",
      "rl.rules[0].limit=1/m",
      "rl.storage.type=REDIS",
      "rl.redis.uri=redis://127.0.0.1:1"
    })
@AutoConfigureRedline
@ContextConfiguration(classes = MvcSliceApplication.class)
class Boot4MvcSliceTest extends MvcSliceBehaviour {}
