package dev.redline.rules.documents.files;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;

/** Files that only their owner reads, and that are on disk when a write returns. */
final class PrivateFiles {
  private static final boolean POSIX =
      FileSystems.getDefault().supportedFileAttributeViews().contains("posix");
  private static final String TEMPORARY = ".tmp";

  private PrivateFiles() {}

  private static FileAttribute<?>[] permissions(String permissions) {
    return POSIX
        ? new FileAttribute<?>[] {
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions))
        }
        : new FileAttribute<?>[0];
  }

  static void createDirectories(Path directory) throws IOException {
    Files.createDirectories(directory, permissions("rwx------"));
  }

  /** Opens a file for reading and writing, and creates it if it is missing. */
  static FileChannel open(Path file) throws IOException {
    Set<OpenOption> options =
        Set.of(StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
    return FileChannel.open(file, options, permissions("rw-------"));
  }

  /** Writes a file so that readers see the old content or the new, and never a part of it. */
  static void replace(Path file, byte[]... parts) throws IOException {
    Path temporary = file.resolveSibling("." + file.getFileName() + TEMPORARY);
    Files.deleteIfExists(temporary);
    Set<OpenOption> options = Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    try (FileChannel channel = FileChannel.open(temporary, options, permissions("rw-------"))) {
      for (byte[] part : parts) {
        writeFully(channel, part);
      }
      channel.force(true);
    }
    try {
      Files.move(
          temporary, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (AtomicMoveNotSupportedException e) {
      Files.move(temporary, file, StandardCopyOption.REPLACE_EXISTING);
    }
    force(Objects.requireNonNull(file.toAbsolutePath().getParent(), "a file has a parent"));
  }

  static void writeFully(FileChannel channel, byte[] bytes) throws IOException {
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    while (buffer.hasRemaining()) {
      channel.write(buffer);
    }
  }

  /** Forces the entries of a directory to disk, on systems where a directory can be opened. */
  private static void force(Path directory) throws IOException {
    if (POSIX) {
      try (FileChannel channel = FileChannel.open(directory, EnumSet.of(StandardOpenOption.READ))) {
        channel.force(true);
      }
    }
  }
}
