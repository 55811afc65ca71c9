package dev.redline.server.admin;

import jakarta.servlet.http.HttpServletRequest;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.springframework.http.InvalidMediaTypeException;
import org.springframework.http.MediaType;

/** Decodes the bodies that {@link BodyReader} read, and checks their content type. */
final class BodyText {
  private static final byte[] NO_BYTES = {};

  private static final List<MediaType> JSON =
      List.of(MediaType.APPLICATION_JSON, MediaType.valueOf("application/*+json"));
  private static final List<MediaType> DOCUMENT =
      List.of(
          MediaType.APPLICATION_JSON,
          MediaType.valueOf("application/*+json"),
          MediaType.valueOf("application/yaml"),
          MediaType.valueOf("application/x-yaml"),
          MediaType.valueOf("application/*+yaml"),
          MediaType.valueOf("text/yaml"),
          MediaType.valueOf("text/x-yaml"),
          MediaType.TEXT_PLAIN);

  private BodyText() {}

  /** Returns the JSON text of a request; a missing content type counts as JSON. */
  static String json(HttpServletRequest request) {
    return read(request, JSON, "application/json");
  }

  /** Returns the rule document of a request. */
  static String document(HttpServletRequest request) {
    return read(request, DOCUMENT, "application/json or application/yaml");
  }

  private static String read(HttpServletRequest request, List<MediaType> accepted, String words) {
    String type = request.getContentType();
    if (type != null && !isOneOf(type, accepted)) {
      throw new AdminProblem(415, "the content type must be " + words + ", was '" + type + "'");
    }
    byte[] content = request.getAttribute(BodyReader.BODY) instanceof byte[] read ? read : NO_BYTES;
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(content)).toString();
    } catch (CharacterCodingException e) {
      throw new AdminProblem(400, "the body is not UTF-8");
    }
  }

  private static boolean isOneOf(String type, List<MediaType> accepted) {
    try {
      MediaType given = MediaType.parseMediaType(type);
      return accepted.stream().anyMatch(one -> one.includes(given));
    } catch (InvalidMediaTypeException e) {
      return false;
    }
  }
}
