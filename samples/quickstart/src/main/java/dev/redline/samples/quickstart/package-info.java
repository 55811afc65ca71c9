/** A sample application: Spring Boot 4 with Spring MVC. */
@NullMarked
package dev.redline.samples.quickstart;

import org.jspecify.annotations.NullMarked;
