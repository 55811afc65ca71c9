/** The filter and the exception handling of Spring MVC and other servlet applications. */
@NullMarked
package dev.redline.spring.servlet;

import org.jspecify.annotations.NullMarked;
