/** The filter and the exception handling of WebFlux applications. */
@NullMarked
package dev.redline.spring.webflux;

import org.jspecify.annotations.NullMarked;
