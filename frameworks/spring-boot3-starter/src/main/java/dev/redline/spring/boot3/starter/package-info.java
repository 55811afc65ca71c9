/** The health of Redline on Spring Boot 3.5. */
@NullMarked
package dev.redline.spring.boot3.starter;

import org.jspecify.annotations.NullMarked;
