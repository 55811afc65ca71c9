/**
 * What the servlet filter and the WebFlux filter share: paths, descriptions of requests, denials.
 */
@NullMarked
package dev.redline.spring.web;

import org.jspecify.annotations.NullMarked;
