package dev.redline.rules.nacos.server;

import com.alibaba.nacos.core.code.ControllerMethodsCache;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.web.servlet.ServletComponentScan;
import org.springframework.scheduling.annotation.EnableScheduling;

/** Starts a Nacos server from the artifacts of its modules, without the console. */
@SpringBootApplication(scanBasePackages = {"com.alibaba.nacos", "dev.redline.rules.nacos.server"})
@ServletComponentScan("com.alibaba.nacos")
@EnableScheduling
public class NacosServerMain {
  /** Registers the controllers, as the console does; without it authentication accepts everyone. */
  public NacosServerMain(ControllerMethodsCache controllers) {
    controllers.initClassMethod("com.alibaba.nacos.core.controller");
    controllers.initClassMethod("com.alibaba.nacos.naming.controllers");
    controllers.initClassMethod("com.alibaba.nacos.config.server.controller");
  }

  /** Runs until the process ends. */
  public static void main(String[] arguments) {
    SpringApplication.run(NacosServerMain.class, arguments);
  }
}
