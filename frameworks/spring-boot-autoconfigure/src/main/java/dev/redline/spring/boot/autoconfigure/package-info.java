/** Redline in Spring Boot applications: properties, beans and endpoints. */
@NullMarked
package dev.redline.spring.boot.autoconfigure;

import org.jspecify.annotations.NullMarked;
