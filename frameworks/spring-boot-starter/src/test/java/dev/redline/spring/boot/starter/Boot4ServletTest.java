package dev.redline.spring.boot.starter;

import dev.redline.spring.behaviour.ServletBehaviour;

class Boot4ServletTest extends ServletBehaviour {
  Boot4ServletTest() {
    super(false);
  }
}
