/** A sample application: Spring Cloud Gateway on Spring Boot 4. */
@NullMarked
package dev.redline.samples.gateway;

import org.jspecify.annotations.NullMarked;
