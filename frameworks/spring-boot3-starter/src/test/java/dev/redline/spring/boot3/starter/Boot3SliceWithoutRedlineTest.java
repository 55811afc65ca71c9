package dev.redline.spring.boot3.starter;

import static dev.redline.spring.boot.test.MockMvcRateLimits.notLimited;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.status;

import dev.redline.spring.behaviour.MvcSliceApplication;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.autoconfigure.web.servlet.WebMvcTest;
import org.springframework.test.context.ContextConfiguration;
import org.springframework.test.web.servlet.MockMvc;

@WebMvcTest
@ContextConfiguration(classes = MvcSliceApplication.class)
class Boot3SliceWithoutRedlineTest {
  @Autowired private MockMvc mvc;

  @Test
  void sliceWithoutTheAnnotationLimitsNothing() throws Exception {
    for (int i = 0; i < 4; i++) {
      mvc.perform(get("/orders")).andExpect(status().isOk()).andExpect(notLimited());
    }
  }
}
