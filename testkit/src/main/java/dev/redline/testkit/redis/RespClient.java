package dev.redline.testkit.redis;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** A minimal blocking Redis client: sends one command, reads one reply. */
final class RespClient implements AutoCloseable {
  /** Long enough for a script over thousands of traces on a busy machine. */
  private static final int TIMEOUT_MILLIS = 60_000;

  private final Socket socket = new Socket();
  private final InputStream in;
  private final OutputStream out;

  RespClient(int port) throws IOException {
    socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), TIMEOUT_MILLIS);
    socket.setSoTimeout(TIMEOUT_MILLIS);
    in = new BufferedInputStream(socket.getInputStream());
    out = socket.getOutputStream();
  }

  /** Sends a command and returns the reply: a String, a Long, a List, or "" for nil. */
  Object send(String... words) throws IOException {
    StringBuilder text = new StringBuilder("*").append(words.length).append("\r\n");
    for (String word : words) {
      int length = word.getBytes(StandardCharsets.ISO_8859_1).length;
      text.append('$').append(length).append("\r\n").append(word).append("\r\n");
    }
    out.write(text.toString().getBytes(StandardCharsets.ISO_8859_1));
    out.flush();
    return read();
  }

  private Object read() throws IOException {
    int type = in.read();
    String line = line();
    return switch (type) {
      case '+' -> line;
      case ':' -> Long.valueOf(line);
      case '$' -> bulk(Integer.parseInt(line));
      case '*' -> list(Integer.parseInt(line));
      case '-' -> throw new IOException("Redis answered: " + line);
      case -1 -> throw new EOFException("Redis closed the connection");
      default -> throw new IOException("unexpected reply type " + (char) type);
    };
  }

  private String bulk(int length) throws IOException {
    if (length < 0) {
      return "";
    }
    byte[] bytes = in.readNBytes(length + 2);
    return new String(bytes, 0, length, StandardCharsets.ISO_8859_1);
  }

  private List<Object> list(int size) throws IOException {
    List<Object> items = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      items.add(read());
    }
    return items;
  }

  private String line() throws IOException {
    StringBuilder text = new StringBuilder();
    int c = in.read();
    while (c != '\r' && c != -1) {
      text.append((char) c);
      c = in.read();
    }
    if (in.read() == -1) {
      throw new EOFException("Redis closed the connection");
    }
    return text.toString();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
