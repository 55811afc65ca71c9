package dev.redline.spring.boot3.starter;

import dev.redline.spring.behaviour.WebFluxBehaviour;
import org.springframework.boot.web.embedded.netty.NettyReactiveWebServerFactory;
import org.springframework.context.annotation.Bean;

class Boot3WebFluxTest extends WebFluxBehaviour {
  Boot3WebFluxTest() {
    super(Boot3Netty.class);
  }

  static class Boot3Netty {
    @Bean
    NettyReactiveWebServerFactory netty() {
      return new NettyReactiveWebServerFactory();
    }
  }
}
