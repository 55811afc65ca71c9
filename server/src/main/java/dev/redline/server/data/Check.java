package dev.redline.server.data;

import dev.redline.core.Question;

/**
 * A question as it was asked over HTTP.
 *
 * @param question what is asked
 * @param dryRun whether nothing is to be taken
 */
record Check(Question question, boolean dryRun) {}
