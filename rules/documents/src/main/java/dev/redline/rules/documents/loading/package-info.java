/** Brings rules from their sources into force, at the start and whenever they change. */
@NullMarked
package dev.redline.rules.documents.loading;

import org.jspecify.annotations.NullMarked;
