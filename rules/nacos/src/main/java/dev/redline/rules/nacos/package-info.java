/** The rule source {@code NACOS}: a document in Nacos. */
@NullMarked
package dev.redline.rules.nacos;

import org.jspecify.annotations.NullMarked;
