package dev.redline.rules.documents.loading;

/**
 * What a load of one source found.
 *
 * @param reachable whether the source could be read
 * @param changed whether its content has changed
 */
record SourceLoad(boolean reachable, boolean changed) {}
