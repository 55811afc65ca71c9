package dev.redline.spring.boot3.starter;

import dev.redline.spring.behaviour.ServletBehaviour;

class Boot3ServletTest extends ServletBehaviour {
  Boot3ServletTest() {
    super(false);
  }
}
