/** The current request and the exception handling of Spring MVC. */
@NullMarked
package dev.redline.spring.servlet;

import org.jspecify.annotations.NullMarked;
