package dev.redline.spring.boot3.starter;

import dev.redline.spring.behaviour.SecuredBehaviour;

class Boot3SecuredTest extends SecuredBehaviour {}
