package dev.redline.spring.boot.starter;

import dev.redline.spring.behaviour.WebFluxBehaviour;
import org.springframework.boot.reactor.netty.NettyReactiveWebServerFactory;
import org.springframework.context.annotation.Bean;

class Boot4WebFluxTest extends WebFluxBehaviour {
  Boot4WebFluxTest() {
    super(Boot4Netty.class);
  }

  static class Boot4Netty {
    @Bean
    NettyReactiveWebServerFactory netty() {
      return new NettyReactiveWebServerFactory();
    }
  }
}
