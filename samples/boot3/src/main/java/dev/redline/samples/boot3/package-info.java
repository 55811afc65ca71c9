/** A sample application: Spring Boot 3.5 with Spring MVC. */
@NullMarked
package dev.redline.samples.boot3;

import org.jspecify.annotations.NullMarked;
