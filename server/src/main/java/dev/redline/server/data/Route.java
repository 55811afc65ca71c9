package dev.redline.server.data;

/**
 * A path of the data plane and its endpoint.
 *
 * @param path the exact path
 * @param accepts the requests that are accepted there
 * @param endpoint the handler of the requests
 * @param access who may call it
 */
record Route(String path, Accepts accepts, Endpoint endpoint, Access access) {
  /** Creates a route for callers of the data plane. */
  Route(String path, Accepts accepts, Endpoint endpoint) {
    this(path, accepts, endpoint, Access.CALLERS);
  }

  /** Who may call an endpoint. */
  enum Access {
    /** The callers of the data plane; they need a token if any is configured. */
    CALLERS,
    /** The endpoint authenticates its callers itself. */
    OWN
  }

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
