package dev.redline.bench.spring;

import java.io.BufferedInputStream;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** Sends requests to a server of its own over one connection, and reads its processor time. */
final class FilterLoad {
  private static final byte[] REQUEST =
      "GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

  private FilterLoad() {}

  /** Returns the processor time of a request in microseconds. */
  static double microsOfRequest(boolean limited, int requests) throws Exception {
    Process server = ChildProcesses.start(ServerProbe.COMMAND, Boolean.toString(limited));
    try {
      BufferedReader out =
          new BufferedReader(
              new InputStreamReader(server.getInputStream(), StandardCharsets.UTF_8));
      String line = out.readLine();
      if (line == null) {
        throw new IOException("the server did not start");
      }
      int port = Integer.parseInt(line.strip());
      try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(60_000);
        InputStream in = new BufferedInputStream(socket.getInputStream());
        send(socket, in, 2 * requests, limited);
        Duration before = processorTime(server);
        send(socket, in, requests, limited);
        return processorTime(server).minus(before).toNanos() / 1e3 / requests;
      }
    } finally {
      server.destroy();
      server.waitFor();
    }
  }

  private static Duration processorTime(Process process) {
    return process.info().totalCpuDuration().orElseThrow();
  }

  private static void send(Socket socket, InputStream in, int requests, boolean limited)
      throws IOException {
    for (int i = 0; i < requests; i++) {
      socket.getOutputStream().write(REQUEST);
      read(in, limited);
    }
  }

  /** Reads one response, and checks it. */
  private static void read(InputStream in, boolean limited) throws IOException {
    int length = 0;
    boolean counted = false;
    StringBuilder line = new StringBuilder();
    String status = null;
    while (true) {
      int c = in.read();
      if (c < 0) {
        throw new IOException("the server closed the connection");
      }
      if (c != '\n') {
        line.append((char) c);
        continue;
      }
      String text = line.toString().strip();
      line.setLength(0);
      if (text.isEmpty()) {
        break;
      }
      status = status == null ? text : status;
      counted |= text.startsWith("X-RateLimit-Remaining:");
      if (text.startsWith("Content-Length:")) {
        length = Integer.parseInt(text.substring(text.indexOf(':') + 1).strip());
      }
    }
    in.skipNBytes(length);
    if (status == null || !status.contains(" 200") || counted != limited) {
      throw new IOException("unexpected response: " + status);
    }
  }
}
