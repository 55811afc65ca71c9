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
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Tells when something happens around a file or directory. Every link on the way is followed, and
 * the directory of each is watched, so that a link that is moved elsewhere is noticed as well as a
 * file that is written.
 *
 * <p>Where the system cannot watch, nothing is told, and polling has to do.
 */
final class FileWatch implements AutoCloseable {
  private static final Logger LOG = System.getLogger(FileWatch.class.getName());
  private static final int MAX_LINKS = 40;
  private static final long GATHER_MILLIS = 20;
  private static final int MAX_GATHERED = 5;

  private final Path path;
  private final Predicate<Path> counts;
  private final Runnable changed;
  private final WatchService service;
  private final Map<Path, WatchKey> keys = new HashMap<>();

  private FileWatch(Path path, Predicate<Path> counts, Runnable changed, WatchService service) {
    this.path = path.toAbsolutePath().normalize();
    this.counts = counts;
    this.changed = changed;
    this.service = service;
  }

  /**
   * Starts watching, in a thread of its own.
   *
   * @param counts which files of a directory count
   * @return the watch, or null if this system cannot
   */
  static @Nullable FileWatch start(Path path, Predicate<Path> counts, Runnable changed) {
    try {
      FileWatch watch =
          new FileWatch(path, counts, changed, path.getFileSystem().newWatchService());
      watch.register();
      Thread thread = new Thread(watch::run, "redline-rule-files");
      thread.setDaemon(true);
      thread.start();
      return watch;
    } catch (IOException | UnsupportedOperationException e) {
      LOG.log(Level.WARNING, path + " cannot be watched and is only polled: " + e.getMessage());
      return null;
    }
  }

  private void run() {
    try {
      while (true) {
        // What happened does not matter: whoever is told looks at everything, and once is enough.
        WatchKey key = service.take();
        for (int gathered = 1; key != null; gathered++) {
          key.pollEvents();
          key.reset();
          key = gathered < MAX_GATHERED ? poll() : null;
        }
        register();
        changed.run();
      }
    } catch (ClosedWatchServiceException e) {
      LOG.log(Level.DEBUG, "no longer watching {0}", path);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Returns what else happens about now, so that a busy directory is not looked at all the time.
   */
  private @Nullable WatchKey poll() throws InterruptedException {
    TimeUnit.MILLISECONDS.sleep(GATHER_MILLIS);
    return service.poll();
  }

  /** Watches the directories that matter now, and no others. */
  private void register() {
    Set<Path> directories = new LinkedHashSet<>();
    follow(path, directories, 0);
    if (Files.isDirectory(path)) {
      try (Stream<Path> entries = Files.list(path)) {
        directories.add(path.toRealPath());
        entries.filter(counts).forEach(file -> follow(file, directories, 0));
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

  /** Collects the directories of a file and of all links on the way to it. */
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
