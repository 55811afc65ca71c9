package dev.redline.behaviour;

import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * An HTTP client that sends a path exactly as it is given, from a loopback address of its own: each
 * client is another caller for the application, without any header that it would have to trust.
 */
public final class LoopbackClient {
  private static final int TIMEOUT_MILLIS = 20_000;
  private static final AtomicInteger NEXT = new AtomicInteger((int) (System.nanoTime() & 0xFFFF));

  private final URI base;
  private final String address;

  /** Creates a client with an address that no other client of this process has. */
  public LoopbackClient(URI base) {
    this(base, nextAddress());
  }

  /** Creates a client with a loopback address, such as 127.250.0.1 for a proxy. */
  public LoopbackClient(URI base, String address) {
    this.base = base;
    this.address = address;
  }

  private static String nextAddress() {
    int number = NEXT.incrementAndGet() & 0xFFFFFF;
    return "127."
        + (1 + (number >> 16 & 0x7F))
        + "."
        + (number >> 8 & 0xFF)
        + "."
        + (number & 0xFF);
  }

  /**
   * A response.
   *
   * @param status the status
   * @param headers the header fields; names are compared ignoring case
   * @param body the body
   */
  public record Response(int status, Map<String, String> headers, String body) {
    /** Returns a header field, or an empty text if it is absent. */
    public String header(String name) {
      return headers.getOrDefault(name, "");
    }
  }

  /**
   * Sends a GET request.
   *
   * @param headers further header lines, such as {@code X-Forwarded-For: 192.0.2.1}
   */
  public Response get(String path, String... headers) {
    return send("GET", path, List.of(headers));
  }

  /** Sends a request without a body. */
  public Response send(String method, String path, List<String> headers) {
    try (Socket socket = connect()) {
      write(socket, method, path, headers);
      return read(socket.getInputStream());
    } catch (IOException e) {
      throw new UncheckedIOException(method + " " + path, e);
    }
  }

  /** Sends a GET request and closes the connection after a while, without reading a response. */
  public void getAndDisconnect(String path, long afterMillis) {
    try (Socket socket = connect()) {
      write(socket, "GET", path, List.of());
      Thread.sleep(afterMillis);
    } catch (IOException e) {
      throw new UncheckedIOException(path, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Sends a GET request and reads no response; closing what is returned disconnects the client. */
  public Closeable open(String path) {
    try {
      Socket socket = connect();
      write(socket, "GET", path, List.of());
      return socket;
    } catch (IOException e) {
      throw new UncheckedIOException(path, e);
    }
  }

  @SuppressWarnings("AddressSelection") // a literal address stands for one address only
  private Socket connect() throws IOException {
    Socket socket = new Socket();
    socket.bind(new InetSocketAddress(InetAddress.getByName(address), 0));
    socket.connect(new InetSocketAddress("127.0.0.1", base.getPort()), TIMEOUT_MILLIS);
    socket.setSoTimeout(TIMEOUT_MILLIS);
    return socket;
  }

  private void write(Socket socket, String method, String path, List<String> headers)
      throws IOException {
    StringBuilder head = new StringBuilder(method).append(' ').append(path).append(" HTTP/1.1\r\n");
    head.append("Host: localhost:").append(base.getPort()).append("\r\nConnection: close\r\n");
    headers.forEach(header -> head.append(header).append("\r\n"));
    socket.getOutputStream().write(head.append("\r\n").toString().getBytes(StandardCharsets.UTF_8));
    socket.getOutputStream().flush();
  }

  private static Response read(InputStream in) throws IOException {
    byte[] bytes = in.readAllBytes();
    String text = new String(bytes, StandardCharsets.ISO_8859_1);
    int end = text.indexOf("\r\n\r\n");
    if (end < 0) {
      throw new IOException("no complete response: " + text);
    }
    String[] lines = text.substring(0, end).split("\r\n", -1);
    Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    for (String line : Arrays.asList(lines).subList(1, lines.length)) {
      int colon = line.indexOf(':');
      headers.merge(
          line.substring(0, colon),
          line.substring(colon + 1).trim(),
          (first, second) -> first + ", " + second);
    }
    byte[] body = Arrays.copyOfRange(bytes, end + 4, bytes.length);
    boolean chunked = headers.getOrDefault("Transfer-Encoding", "").equals("chunked");
    return new Response(
        Integer.parseInt(lines[0].split(" ", -1)[1]),
        headers,
        new String(chunked ? unchunked(body) : body, StandardCharsets.UTF_8));
  }

  private static byte[] unchunked(byte[] body) {
    ByteArrayOutputStream whole = new ByteArrayOutputStream();
    String text = new String(body, StandardCharsets.ISO_8859_1);
    int at = 0;
    while (at < text.length()) {
      int line = text.indexOf("\r\n", at);
      int size = line < 0 ? 0 : Integer.parseInt(text.substring(at, line).trim(), 16);
      if (size == 0) {
        break;
      }
      whole.write(body, line + 2, size);
      at = line + 2 + size + 2;
    }
    return whole.toByteArray();
  }
}
