/** Rules in MongoDB, one document each: versioned, with history and audit log. */
@NullMarked
package dev.redline.rules.mongo;

import org.jspecify.annotations.NullMarked;
