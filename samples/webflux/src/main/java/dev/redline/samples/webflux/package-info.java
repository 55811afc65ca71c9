/** A sample application: Spring Boot 4 with WebFlux. */
@NullMarked
package dev.redline.samples.webflux;

import org.jspecify.annotations.NullMarked;
