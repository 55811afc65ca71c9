/** Rules written in YAML or JSON: reading them with every mistake named, and writing them. */
@NullMarked
package dev.redline.rules.documents;

import org.jspecify.annotations.NullMarked;
