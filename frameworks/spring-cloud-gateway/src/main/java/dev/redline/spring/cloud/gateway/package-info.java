/** The filter and the rate limiter for routes of Spring Cloud Gateway. */
@NullMarked
package dev.redline.spring.cloud.gateway;

import org.jspecify.annotations.NullMarked;
