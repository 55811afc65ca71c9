package dev.redline.server.data;

/**
 * A path of the data plane and its endpoint.
 *
 * @param path the exact path
 * @param accepts the requests that are accepted there
 * @param endpoint the handler of the requests
 */
record Route(String path, Accepts accepts, Endpoint endpoint) {
  /** The kinds of requests that a path can accept. */
  enum Accepts {
    /** POST with a JSON body. */
    JSON,
    /** GET and HEAD. */
    GET,
    /** Any method; the body is ignored. */
    ANY_METHOD
  }
}
