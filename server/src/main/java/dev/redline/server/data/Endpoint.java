package dev.redline.server.data;

/** Handles the requests of one path of the data plane. */
@FunctionalInterface
interface Endpoint {
  /**
   * Handles a request; the response is sent now, or later on the same event loop.
   *
   * @param body the whole body; empty if the endpoint ignores bodies
   * @throws HttpProblem if the request is invalid
   */
  void handle(Exchange exchange, byte[] body);
}
