package dev.redline.spring.boot.starter;

import dev.redline.spring.behaviour.ClosingBehaviour;

class Boot4ClosingTest extends ClosingBehaviour {}
