package dev.redline.server.access;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.Base64;

/** The admin token that the service generates, in a file that only its owner can read. */
public final class TokenFile {
  private static final String NAME = "admin-token";
  private static final int BYTES = 32;
  private static final int MIN_LENGTH = 16;
  private static final boolean POSIX =
      FileSystems.getDefault().supportedFileAttributeViews().contains("posix");

  private TokenFile() {}

  /** Returns the path of the token file in a data directory. */
  public static Path in(Path dataDir) {
    return dataDir.resolve(NAME);
  }

  /**
   * Returns the token in a file; generates token and file if the file does not exist. Processes
   * that start at the same time get the same token.
   *
   * @throws IOException if the file can neither be read nor be written
   */
  public static String obtain(Path file) throws IOException {
    if (!Files.exists(file)) {
      create(file);
    }
    String token = Files.readString(file).strip();
    if (token.length() < MIN_LENGTH) {
      throw new IOException(
          file
              + " has fewer than "
              + MIN_LENGTH
              + " characters; delete it to generate a new token");
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
    // A temporary file is private from the start, and linking it is atomic.
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
          .log(System.Logger.Level.DEBUG, "another process created {0} first", file);
    } finally {
      Files.deleteIfExists(temporary);
    }
  }
}
