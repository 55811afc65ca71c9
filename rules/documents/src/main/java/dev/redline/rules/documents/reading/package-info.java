/**
 * Reading rule documents: from a parsed tree to checked rules and plans, with every problem
 * located.
 */
@NullMarked
package dev.redline.rules.documents.reading;

import org.jspecify.annotations.NullMarked;
