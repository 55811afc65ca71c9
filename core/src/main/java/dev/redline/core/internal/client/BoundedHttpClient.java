package dev.redline.core.internal.client;

import java.io.IOException;
import java.net.ConnectException;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Sends HTTP requests, each with a bound on the time and the size of the whole response. The
 * time-out of the JDK's client ends with the response's header fields, so a body could take for
 * ever. Redirects are not followed. Thread-safe.
 */
public final class BoundedHttpClient {
  private final int maxBytes;
  private final HttpClient client;
  private final Set<CompletableFuture<Response>> inProgress = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  /** A whole response. */
  public static final class Response {
    private final HttpResponse<byte[]> response;

    private Response(HttpResponse<byte[]> response) {
      this.response = response;
    }

    /** Returns the status code. */
    public int status() {
      return response.statusCode();
    }

    /** Returns the header fields. */
    public HttpHeaders headers() {
      return response.headers();
    }

    /** Returns the body, which is not copied. */
    public byte[] body() {
      return response.body();
    }
  }

  /**
   * Creates a client.
   *
   * @param connectTimeout how long connecting may take
   * @param maxBytes how large a response body may be
   */
  public BoundedHttpClient(Duration connectTimeout, int maxBytes) {
    this(connectTimeout, maxBytes, HttpClient.Version.HTTP_1_1);
  }

  /**
   * Creates a client.
   *
   * @param connectTimeout how long connecting may take
   * @param maxBytes how large a response body may be
   * @param version the version to prefer
   */
  public BoundedHttpClient(Duration connectTimeout, int maxBytes, HttpClient.Version version) {
    this.maxBytes = maxBytes;
    this.client = HttpClient.newBuilder().version(version).connectTimeout(connectTimeout).build();
  }

  /**
   * Sends a request, and waits for the response.
   *
   * @param timeout how long it may take until the response is complete
   * @throws IOException if there is no response in time, or it is too large
   */
  public Response send(HttpRequest request, Duration timeout)
      throws IOException, InterruptedException {
    CompletableFuture<Response> sent = sendAsync(request, timeout);
    try {
      return sent.get();
    } catch (ExecutionException e) {
      throw failure(e);
    } catch (CancellationException e) {
      throw new IOException("the client is closed", e);
    } finally {
      sent.cancel(true);
    }
  }

  /**
   * Sends a request. Cancelling the future ends the exchange.
   *
   * @param timeout how long it may take until the response is complete
   */
  @SuppressWarnings("CollectionUndefinedEquality") // identity is what is meant
  public CompletableFuture<Response> sendAsync(HttpRequest request, Duration timeout) {
    CompletableFuture<HttpResponse<byte[]>> exchange =
        client.sendAsync(request, info -> new LimitedBody(maxBytes));
    CompletableFuture<Response> result =
        exchange.thenApply(Response::new).orTimeout(timeout.toNanos(), TimeUnit.NANOSECONDS);
    inProgress.add(result);
    var unused =
        result.whenComplete(
            (response, failure) -> {
              inProgress.remove(result);
              exchange.cancel(true);
            });
    if (closed) {
      result.cancel(true);
    }
    return result;
  }

  /** Ends the requests in progress, and those that are sent later. */
  public void close() {
    closed = true;
    inProgress.forEach(request -> request.cancel(true));
  }

  /** Returns the failure of a request as it is reported. */
  public static IOException failure(ExecutionException failed) {
    Throwable cause = failed.getCause() == null ? failed : failed.getCause();
    while (cause instanceof CompletionException && cause.getCause() != null) {
      cause = cause.getCause();
    }
    return new IOException(
        cause instanceof TimeoutException ? "no response in time" : message(cause), cause);
  }

  /** Returns the message; the JDK's client gives none for a connection that is refused. */
  private static String message(Throwable cause) {
    if (cause.getMessage() != null) {
      return cause.getMessage();
    }
    return cause instanceof ConnectException
        ? "connection refused"
        : cause.getClass().getSimpleName();
  }

  /** Collects a body, and fails if it is too large. */
  private static final class LimitedBody implements HttpResponse.BodySubscriber<byte[]> {
    private final HttpResponse.BodySubscriber<byte[]> collector =
        HttpResponse.BodySubscribers.ofByteArray();
    private final CompletableFuture<byte[]> body = new CompletableFuture<>();
    private final int maxBytes;
    private long received;
    private Flow.@Nullable Subscription subscription;

    LimitedBody(int maxBytes) {
      this.maxBytes = maxBytes;
      var unused = collector.getBody().whenComplete(this::complete);
    }

    private void complete(byte[] bytes, @Nullable Throwable failure) {
      if (failure == null) {
        body.complete(bytes);
      } else {
        body.completeExceptionally(failure);
      }
    }

    @Override
    public CompletionStage<byte[]> getBody() {
      return body;
    }

    @Override
    public void onSubscribe(Flow.Subscription newSubscription) {
      subscription = newSubscription;
      collector.onSubscribe(newSubscription);
    }

    @Override
    public void onNext(List<ByteBuffer> buffers) {
      received += buffers.stream().mapToLong(ByteBuffer::remaining).sum();
      if (received <= maxBytes) {
        collector.onNext(buffers);
      } else {
        if (subscription != null) {
          subscription.cancel();
        }
        body.completeExceptionally(
            new IOException("the response is larger than " + maxBytes + " bytes"));
      }
    }

    @Override
    public void onError(Throwable failure) {
      collector.onError(failure);
    }

    @Override
    public void onComplete() {
      collector.onComplete();
    }
  }
}
