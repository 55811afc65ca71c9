package dev.redline.rules.nacos;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A TCP proxy to another port; while it is closed, it cuts all connections. */
final class TcpGate implements AutoCloseable {
  private final ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
  private final ExecutorService threads =
      Executors.newCachedThreadPool(
          task -> {
            Thread thread = new Thread(task, "tcp-gate");
            thread.setDaemon(true);
            return thread;
          });
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private final int target;
  private volatile boolean open = true;

  TcpGate(int target) throws IOException {
    this.target = target;
    threads.execute(this::accept);
  }

  int port() {
    return listener.getLocalPort();
  }

  void open() {
    open = true;
  }

  /** Cuts all connections; new ones are cut at once. */
  void shut() {
    open = false;
    sockets.forEach(TcpGate::cut);
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket client = listener.accept();
        sockets.add(client);
        if (!open) {
          cut(client);
          continue;
        }
        Socket server = new Socket(InetAddress.getLoopbackAddress(), target);
        sockets.add(server);
        threads.execute(() -> pump(client, server));
        threads.execute(() -> pump(server, client));
      } catch (IOException e) {
        sockets.forEach(TcpGate::cut);
      }
    }
  }

  private void pump(Socket from, Socket to) {
    try (InputStream in = from.getInputStream()) {
      in.transferTo(to.getOutputStream());
    } catch (IOException e) {
      // One side ended; so does the other.
    } finally {
      cut(from);
      cut(to);
      sockets.remove(from);
      sockets.remove(to);
    }
  }

  private static void cut(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      // It is closed in any case.
    }
  }

  @Override
  public void close() throws IOException {
    listener.close();
    shut();
    threads.shutdownNow();
  }
}
