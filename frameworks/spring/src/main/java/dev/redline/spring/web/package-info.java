/** What servlet applications and WebFlux share: users, and handlers of denials. */
@NullMarked
package dev.redline.spring.web;

import org.jspecify.annotations.NullMarked;
