package dev.redline.server.data;

/**
 * A path of the data plane.
 *
 * @param path the path, exactly
 * @param takesJson whether it is posted JSON; else any method will do, and the body is ignored
 * @param endpoint what is done there
 */
record Route(String path, boolean takesJson, Endpoint endpoint) {}
