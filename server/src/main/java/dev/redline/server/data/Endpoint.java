package dev.redline.server.data;

/** What is done at one path of the data plane. */
@FunctionalInterface
interface Endpoint {
  /**
   * Answers a request, now or later on the same event loop.
   *
   * @param body the whole body; empty if the endpoint takes none
   * @throws HttpProblem if the request is wrong
   */
  void handle(Exchange exchange, byte[] body);
}
