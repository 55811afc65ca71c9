package dev.redline.server.access;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.Base64;

/** A token of the service's own making, in a file that only its owner reads. */
public final class TokenFile {
  private static final String NAME = "admin-token";
  private static final int BYTES = 32;
  private static final int SHORTEST = 16;
  private static final boolean POSIX =
      FileSystems.getDefault().supportedFileAttributeViews().contains("posix");

  private TokenFile() {}

  /** Returns where the token of a data directory is. */
  public static Path in(Path dataDir) {
    return dataDir.resolve(NAME);
  }

  /**
   * Returns the token in a file, and makes one if there is none: the same for all who ask at the
   * same time, and after the next start.
   *
   * @throws IOException if the file can neither be read nor be written
   */
  public static String obtain(Path file) throws IOException {
    if (!Files.exists(file)) {
      create(file);
    }
    String token = Files.readString(file).strip();
    if (token.length() < SHORTEST) {
      throw new IOException(
          file + " has fewer than " + SHORTEST + " characters; delete it to have a token made");
    }
    if (POSIX) {
      Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    }
    return token;
  }

  private static void create(Path file) throws IOException {
    Path directory = file.toAbsolutePath().getParent();
    Files.createDirectories(directory);
    byte[] random = new byte[BYTES];
    new SecureRandom().nextBytes(random);
    String token = Base64.getUrlEncoder().withoutPadding().encodeToString(random);
    // Temporary files are their owner's alone from the start, and the link appears whole or not.
    Path temporary = Files.createTempFile(directory, "." + NAME, ".tmp");
    try {
      Files.writeString(temporary, token + "\n");
      try {
        Files.createLink(file, temporary);
      } catch (UnsupportedOperationException e) {
        Files.copy(temporary, file);
      }
    } catch (FileAlreadyExistsException e) {
      System.getLogger(TokenFile.class.getName())
          .log(System.Logger.Level.DEBUG, "another process was faster: {0}", file);
    } finally {
      Files.deleteIfExists(temporary);
    }
  }
}
