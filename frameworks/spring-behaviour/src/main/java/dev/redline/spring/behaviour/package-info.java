/** Spring applications, and what they do over HTTP on every version of Spring Boot. */
@NullMarked
package dev.redline.spring.behaviour;

import org.jspecify.annotations.NullMarked;
