/** What a limit costs a Spring application. */
@NullMarked
package dev.redline.bench.spring;

import org.jspecify.annotations.NullMarked;
