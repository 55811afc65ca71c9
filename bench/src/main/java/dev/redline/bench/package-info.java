/** The benchmark program: compares Redline with its peers in one run. */
@NullMarked
package dev.redline.bench;

import org.jspecify.annotations.NullMarked;
