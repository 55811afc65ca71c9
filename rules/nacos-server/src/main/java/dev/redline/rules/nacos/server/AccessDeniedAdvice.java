package dev.redline.rules.nacos.server;

import com.alibaba.nacos.plugin.auth.exception.AccessException;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;

/** Responds with 403 to wrong credentials, as the console does; without it the status is 0. */
@ControllerAdvice
@Order(Ordered.HIGHEST_PRECEDENCE)
class AccessDeniedAdvice {
  @ExceptionHandler(AccessException.class)
  ResponseEntity<String> denied(AccessException failure) {
    return ResponseEntity.status(403).body(String.valueOf(failure.getErrMsg()));
  }
}
