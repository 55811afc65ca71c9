/** Real Redis for tests, in the topology a test asks for. */
@NullMarked
package dev.redline.testkit.redis;

import org.jspecify.annotations.NullMarked;
