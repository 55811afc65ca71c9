package dev.redline.server.data;

/**
 * A path of the data plane.
 *
 * @param path the path, exactly
 * @param takes what may be sent there
 * @param endpoint what is done there
 */
record Route(String path, Takes takes, Endpoint endpoint) {
  /** What requests a path takes. */
  enum Takes {
    /** Posted JSON. */
    JSON,
    /** Reading alone. */
    GET,
    /** Any method; the body is ignored. */
    ANYTHING
  }
}
