/** Tests of limited Spring Boot applications. */
@NullMarked
package dev.redline.spring.boot.test;

import org.jspecify.annotations.NullMarked;
