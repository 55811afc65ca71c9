package dev.redline.rules.nacos;

import dev.redline.core.internal.client.BoundedHttpClient;
import dev.redline.core.internal.client.BoundedHttpClient.Response;
import dev.redline.core.internal.digest.Sha256;
import dev.redline.core.spi.ConfigProvider;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A rule document in Nacos.
 *
 * <p>Changes are noticed by a long poll: a request that Nacos answers when the document is no
 * longer the one with the given digest. The version is a digest, so publishing an equal document is
 * not a change. Thread-safe.
 */
public final class NacosConfigProvider implements ConfigProvider {
  private final NacosSettings settings;
  private final NacosClient client;

  /** The MD5 digest of the document when it was last loaded; empty if there was none. */
  private volatile @Nullable String loaded;

  /** The long poll under way, started by the waiting thread only. It can outlast a wait. */
  private volatile @Nullable LongPoll longPoll;

  private volatile boolean closed;

  private record LongPoll(String md5, CompletableFuture<Response> response) {}

  /** Creates a source; nothing is connected yet. */
  public NacosConfigProvider(NacosSettings settings) {
    this.settings = settings;
    this.client = new NacosClient(settings);
  }

  @Override
  public String name() {
    return "Nacos " + settings.group() + "/" + settings.dataId();
  }

  @Override
  public Optional<Duration> pollInterval() {
    return Optional.of(settings.pollInterval());
  }

  @Override
  public Optional<Snapshot> load() throws IOException {
    Optional<Response> document;
    try {
      document = client.read();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      InterruptedIOException interrupted = new InterruptedIOException(name() + ": interrupted");
      interrupted.initCause(e);
      throw interrupted;
    } catch (IOException e) {
      throw new IOException(name() + ": " + e.getMessage(), e);
    }
    loaded = document.map(NacosClient::md5).orElse("");
    return document.isEmpty() ? Optional.empty() : Optional.of(snapshot(document.get().body()));
  }

  private Snapshot snapshot(byte[] bytes) throws IOException {
    try {
      String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
      return new Snapshot(Sha256.hex(bytes), List.of(new Document(settings.dataId(), text)));
    } catch (CharacterCodingException e) {
      throw new IOException(name() + ": not a UTF-8 text", e);
    }
  }

  @Override
  public void awaitChange(Duration atMost) throws IOException, InterruptedException {
    String md5 = loaded;
    if (md5 == null) {
      // There is no digest to wait for; the load that follows returns one.
      return;
    }
    try {
      LongPoll current = current(md5);
      Response response = current.response().get(atMost.toNanos(), TimeUnit.NANOSECONDS);
      longPoll = null;
      client.checkListened(response);
    } catch (TimeoutException e) {
      // The next wait goes on with the same long poll.
      return;
    } catch (CancellationException e) {
      // The source was closed.
      longPoll = null;
    } catch (ExecutionException e) {
      longPoll = null;
      if (closed) {
        return;
      }
      throw new IOException(name() + ": " + BoundedHttpClient.failure(e).getMessage(), e);
    } catch (IOException e) {
      longPoll = null;
      throw new IOException(name() + ": " + e.getMessage(), e);
    }
  }

  private LongPoll current(String md5) throws IOException, InterruptedException {
    LongPoll current = longPoll;
    if (current != null && !current.md5().equals(md5)) {
      current.response().cancel(true);
      current = null;
    }
    if (current == null) {
      current = new LongPoll(md5, client.listen(md5));
      longPoll = current;
    }
    return current;
  }

  /** Ends the long poll. */
  @Override
  public void close() {
    closed = true;
    LongPoll current = longPoll;
    if (current != null) {
      current.response().cancel(true);
    }
  }
}
