/** The health of Redline on Spring Boot 4. */
@NullMarked
package dev.redline.spring.boot.starter;

import org.jspecify.annotations.NullMarked;
