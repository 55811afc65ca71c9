package dev.redline.bench.spring;

import java.io.BufferedInputStream;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Sends requests with and without the filter to a server of its own, over one connection. Short
 * slices of both alternate, so that what slows the machine down or changes the JVM hits both alike;
 * the median of the slices leaves out what hits only a few.
 */
final class FilterLoad {
  private static final int SLICES = 100;

  private final Process server;
  private final BufferedReader out;

  private FilterLoad() throws IOException {
    server = ChildProcesses.start(ServerProbe.COMMAND);
    out =
        new BufferedReader(new InputStreamReader(server.getInputStream(), StandardCharsets.UTF_8));
  }

  /**
   * The processor time of a request in microseconds, in the threads of the application: without
   * those of the JVM, which compile and collect garbage at times of their own.
   */
  record Cost(double without, double with) {
    double ratio() {
      return with / without;
    }
  }

  /** Returns the cost after a warm-up of twice as many requests. */
  static Cost measure(int requests) throws Exception {
    FilterLoad load = new FilterLoad();
    int slice = Math.max(1, requests / SLICES);
    try (Connection connection = new Connection(load.number())) {
      load.alternate(connection, 2 * SLICES, slice);
      return load.alternate(connection, SLICES, slice);
    } finally {
      load.server.destroy();
      load.server.waitFor();
    }
  }

  private Cost alternate(Connection connection, int slices, int requests) throws IOException {
    List<Double> without = new ArrayList<>();
    List<Double> with = new ArrayList<>();
    for (int i = 0; i < slices; i++) {
      boolean limitedFirst = i % 2 == 0;
      for (boolean limited : new boolean[] {limitedFirst, !limitedFirst}) {
        long before = processorNanos();
        connection.send(limited, requests);
        (limited ? with : without).add((processorNanos() - before) / 1e3 / requests);
      }
    }
    return new Cost(SpringBench.median(without), SpringBench.median(with));
  }

  private long processorNanos() throws IOException {
    server.getOutputStream().write('\n');
    server.getOutputStream().flush();
    return number();
  }

  private long number() throws IOException {
    String line = out.readLine();
    if (line == null) {
      throw new IOException("the server ended");
    }
    return Long.parseLong(line.strip());
  }

  /** The connection. */
  private static final class Connection implements AutoCloseable {
    private final Socket socket;
    private final InputStream in;

    Connection(long port) throws IOException {
      this.socket = new Socket(InetAddress.getLoopbackAddress(), Math.toIntExact(port));
      socket.setTcpNoDelay(true);
      socket.setSoTimeout(60_000);
      this.in = new BufferedInputStream(socket.getInputStream());
    }

    void send(boolean limited, int requests) throws IOException {
      String path = limited ? "/limited/hello" : "/without/hello";
      byte[] request =
          ("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n")
              .getBytes(StandardCharsets.US_ASCII);
      for (int i = 0; i < requests; i++) {
        socket.getOutputStream().write(request);
        read(limited);
      }
    }

    /** Reads one response, and checks it. */
    private void read(boolean limited) throws IOException {
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

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }
}
