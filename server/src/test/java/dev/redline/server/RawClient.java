package dev.redline.server;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A connection on which a test sends bytes as they are, complete requests or not. */
public final class RawClient implements AutoCloseable {
  private static final Pattern LENGTH = Pattern.compile("(?i)\r\ncontent-length: *(\\d+)");

  private final Socket socket;
  private final InputStream in;

  /** A response with its header fields and body. */
  public record Response(String head, String body) {
    /** Returns the status. */
    public int status() {
      return Integer.parseInt(head.substring(9, 12));
    }
  }

  /** Connects to a port of this machine. */
  public RawClient(int port) throws IOException {
    socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setSoTimeout(30_000);
    in = new BufferedInputStream(socket.getInputStream());
  }

  /** Sends a text. */
  public void send(String text) throws IOException {
    send(text.getBytes(StandardCharsets.ISO_8859_1));
  }

  /** Sends bytes. */
  public void send(byte[] bytes) throws IOException {
    socket.getOutputStream().write(bytes);
  }

  /** Returns the bytes that the other side sends. */
  public InputStream in() {
    return in;
  }

  /** Returns the status line of the next answer; empty if the connection was closed. */
  public String statusLine() throws IOException {
    StringBuilder line = new StringBuilder();
    for (int c = in.read(); c >= 0 && c != '\n'; c = in.read()) {
      line.append((char) c);
    }
    return line.toString().strip();
  }

  /** Returns the next response; null if the connection was closed before it. */
  public Response response() throws IOException {
    StringBuilder head = new StringBuilder();
    while (head.length() < 4 || head.indexOf("\r\n\r\n", head.length() - 4) < 0) {
      int c = in.read();
      if (c < 0) {
        return null;
      }
      head.append((char) c);
    }
    Matcher length = LENGTH.matcher(head);
    byte[] body = in.readNBytes(length.find() ? Integer.parseInt(length.group(1)) : 0);
    return new Response(head.toString(), new String(body, StandardCharsets.UTF_8));
  }

  /** Returns everything until the other side closes the connection. */
  public String rest() throws IOException {
    return new String(in.readAllBytes(), StandardCharsets.UTF_8);
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
