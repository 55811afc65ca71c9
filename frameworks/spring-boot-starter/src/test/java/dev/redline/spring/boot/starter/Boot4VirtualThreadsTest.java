package dev.redline.spring.boot.starter;

import dev.redline.spring.behaviour.ServletBehaviour;

class Boot4VirtualThreadsTest extends ServletBehaviour {
  Boot4VirtualThreadsTest() {
    super(true);
  }
}
