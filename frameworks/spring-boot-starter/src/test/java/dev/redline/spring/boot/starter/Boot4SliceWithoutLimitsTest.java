package dev.redline.spring.boot.starter;

import static dev.redline.spring.boot.test.MockMvcRateLimits.notLimited;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.status;

import dev.redline.spring.behaviour.MvcSliceApplication;
import dev.redline.spring.boot.test.AutoConfigureRedline;
import dev.redline.spring.boot.test.WithoutRateLimits;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.test.context.ContextConfiguration;
import org.springframework.test.web.servlet.MockMvc;

@WebMvcTest
@AutoConfigureRedline
@WithoutRateLimits
@ContextConfiguration(classes = MvcSliceApplication.class)
class Boot4SliceWithoutLimitsTest {
  @Autowired private MockMvc mvc;

  @Test
  void allTestsOfTheClassAreWithoutLimits() throws Exception {
    for (int i = 0; i < 4; i++) {
      mvc.perform(get("/orders")).andExpect(status().isOk()).andExpect(notLimited());
    }
  }

  @Nested
  class NestedTests {
    @Test
    void nestedTestsAreWithoutLimitsToo() throws Exception {
      allTestsOfTheClassAreWithoutLimits();
    }
  }
}
