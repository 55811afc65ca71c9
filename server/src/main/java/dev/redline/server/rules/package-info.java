/**
 * Rules as both ports of the service need them: example rules, merged documents, the rules page.
 */
@NullMarked
package dev.redline.server.rules;

import org.jspecify.annotations.NullMarked;
