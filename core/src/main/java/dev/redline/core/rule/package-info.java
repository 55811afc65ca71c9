/** What a rule says: bands, plans, rules, rule sets, and the compiled, immutable rule book. */
@NullMarked
package dev.redline.core.rule;

import org.jspecify.annotations.NullMarked;
