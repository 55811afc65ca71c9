package dev.redline.spring.boot.starter;

import dev.redline.spring.behaviour.SecuredBehaviour;

class Boot4SecuredTest extends SecuredBehaviour {}
