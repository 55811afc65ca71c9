package dev.redline.rules.documents.files;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Waits for changes to a file or directory. Symbolic links in the path are followed and the
 * directory of each link is watched, so that a replaced link is noticed as well as a changed file.
 * Used by one thread; only {@link #close} may be called by another one.
 */
final class FileWatch implements AutoCloseable {
  private static final Logger LOG = System.getLogger(FileWatch.class.getName());
  private static final int MAX_LINKS = 40;
  private static final long BURST_MILLIS = 20;
  private static final int MAX_POLLS = 5;

  private final Path path;
  private final Predicate<Path> isRelevant;
  private final WatchService service;
  private final Map<Path, WatchKey> keys = new HashMap<>();

  private FileWatch(Path path, Predicate<Path> isRelevant, WatchService service) {
    this.path = path.toAbsolutePath().normalize();
    this.isRelevant = isRelevant;
    this.service = service;
  }

  /**
   * Begins to watch.
   *
   * @param isRelevant which files of a directory are followed
   * @throws IOException if the file system cannot be watched
   */
  static FileWatch start(Path path, Predicate<Path> isRelevant) throws IOException {
    try {
      FileWatch watch = new FileWatch(path, isRelevant, path.getFileSystem().newWatchService());
      watch.register();
      return watch;
    } catch (UnsupportedOperationException e) {
      throw new IOException("the file system has no notifications", e);
    }
  }

  /** Waits for a change, at most the given time. */
  void await(Duration atMost) throws IOException, InterruptedException {
    try {
      // Events are not examined: each notification reloads everything, so one per burst is enough.
      WatchKey key = service.poll(atMost.toNanos(), TimeUnit.NANOSECONDS);
      for (int polls = 1; key != null; polls++) {
        key.pollEvents();
        key.reset();
        key = polls < MAX_POLLS ? poll() : null;
      }
      register();
    } catch (ClosedWatchServiceException e) {
      throw new IOException(path + " is no longer watched", e);
    }
  }

  /** Waits for further events of the same burst, so that they cause one notification together. */
  private @Nullable WatchKey poll() throws InterruptedException {
    TimeUnit.MILLISECONDS.sleep(BURST_MILLIS);
    return service.poll();
  }

  /** Watches the directories on the current path, and no others. */
  private void register() {
    Set<Path> directories = new LinkedHashSet<>();
    follow(path, directories, 0);
    if (Files.isDirectory(path)) {
      try (Stream<Path> entries = Files.list(path)) {
        directories.add(path.toRealPath());
        entries.filter(isRelevant).forEach(file -> follow(file, directories, 0));
      } catch (IOException | UncheckedIOException e) {
        LOG.log(Level.DEBUG, "cannot list {0}: {1}", path, e.getMessage());
      }
    }
    keys.entrySet()
        .removeIf(
            entry -> {
              boolean gone = !directories.contains(entry.getKey()) || !entry.getValue().isValid();
              if (gone) {
                entry.getValue().cancel();
              }
              return gone;
            });
    directories.forEach(this::register);
  }

  private void register(Path directory) {
    if (keys.containsKey(directory)) {
      return;
    }
    try {
      keys.put(
          directory,
          directory.register(
              service,
              StandardWatchEventKinds.ENTRY_CREATE,
              StandardWatchEventKinds.ENTRY_MODIFY,
              StandardWatchEventKinds.ENTRY_DELETE));
    } catch (IOException e) {
      LOG.log(Level.DEBUG, "cannot watch {0}: {1}", directory, e.getMessage());
    }
  }

  /** Collects the directories of a file and of all links in its path. */
  private static void follow(Path file, Set<Path> directories, int links) {
    Path walked = file.getRoot();
    for (int i = 0; i < file.getNameCount() && walked != null; i++) {
      Path next = walked.resolve(file.getName(i));
      if (Files.isSymbolicLink(next) && links < MAX_LINKS) {
        directories.add(walked);
        try {
          Path target = walked.resolve(Files.readSymbolicLink(next));
          Path rest = i + 1 < file.getNameCount() ? file.subpath(i + 1, file.getNameCount()) : null;
          Path followed = rest == null ? target : target.resolve(rest);
          follow(followed.toAbsolutePath().normalize(), directories, links + 1);
        } catch (IOException e) {
          LOG.log(Level.DEBUG, "cannot follow {0}: {1}", next, e.getMessage());
        }
        return;
      }
      if (!Files.exists(next) || i + 1 == file.getNameCount()) {
        directories.add(walked);
        return;
      }
      walked = next;
    }
  }

  @Override
  public void close() {
    try {
      service.close();
    } catch (IOException e) {
      LOG.log(Level.DEBUG, "cannot stop watching {0}: {1}", path, e.getMessage());
    }
  }
}
