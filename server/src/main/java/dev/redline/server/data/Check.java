package dev.redline.server.data;

import dev.redline.core.LimitCheck;

/**
 * A question as it was asked over HTTP.
 *
 * @param question what is asked
 * @param dryRun whether nothing is to be taken
 */
record Check(LimitCheck question, boolean dryRun) {}
