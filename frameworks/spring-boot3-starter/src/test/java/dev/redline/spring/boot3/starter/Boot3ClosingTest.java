package dev.redline.spring.boot3.starter;

import dev.redline.spring.behaviour.ClosingBehaviour;

class Boot3ClosingTest extends ClosingBehaviour {}
