/** What happens to {@code @RateLimit} while a Quarkus application is built. */
@NullMarked
package dev.redline.quarkus.deployment;

import org.jspecify.annotations.NullMarked;
