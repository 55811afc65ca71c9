package dev.redline.server;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** A connection on which a test sends bytes as they are, complete requests or not. */
public final class RawClient implements AutoCloseable {
  private final Socket socket;

  /** Connects to a port of this machine. */
  public RawClient(int port) throws IOException {
    socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setSoTimeout(30_000);
  }

  /** Sends a text. */
  public void send(String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
  }

  /** Returns the status line of the next answer; empty if the connection was closed. */
  public String statusLine() throws IOException {
    StringBuilder line = new StringBuilder();
    InputStream in = socket.getInputStream();
    for (int c = in.read(); c >= 0 && c != '\n'; c = in.read()) {
      line.append((char) c);
    }
    return line.toString().strip();
  }

  /** Returns everything until the other side closes the connection. */
  public String rest() throws IOException {
    return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
