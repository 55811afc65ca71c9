package dev.redline.rules.consul;

import dev.redline.core.internal.client.ServerAddress;
import dev.redline.core.spi.PropertyReader;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Where the rules are in Consul.
 *
 * @param uri the address of an agent, {@code http://} or {@code https://}, without a path
 * @param path the key of the document, or the folder of the documents
 * @param token the token of Consul's access control
 * @param recurse whether all keys of the folder are read, as one document
 */
public record ConsulSettings(String uri, String path, Optional<String> token, boolean recurse) {
  private static final String URI_NAME = "rl.consul.uri";
  private static final String DEFAULT_URI = "http://127.0.0.1:8500";
  private static final String DEFAULT_PATH = "redline/rules";

  /**
   * Checks the address, the path and the token, which has to fit a header field.
   *
   * @throws IllegalArgumentException if one is not valid
   */
  public ConsulSettings {
    uri = ServerAddress.checkedUri(uri);
    path = checkedPath(path);
    token.ifPresent(ServerAddress::checkedToken);
  }

  /** Returns the default settings: a key of an agent on this machine. */
  public static ConsulSettings standard() {
    return new ConsulSettings(DEFAULT_URI, DEFAULT_PATH, Optional.empty(), false);
  }

  static ConsulSettings read(PropertyReader from) {
    return new ConsulSettings(
        uri(from),
        from.property("rl.consul.path", "the key of the rule document; with `recurse`, the folder")
            .unlessSet("`" + DEFAULT_PATH + "`")
            .parsed(
                "use the name of a key, without a slash at its end", ConsulSettings::checkedPath)
            .orElse(DEFAULT_PATH),
        ServerAddress.readToken(from, "rl.consul.token", "the token that may read the key", ""),
        from.property("rl.consul.recurse", "true: all keys of the folder are one document")
            .bool(false));
  }

  private static String uri(PropertyReader from) {
    return ServerAddress.readUri(
            from,
            URI_NAME,
            "address of a Consul agent; see [Consul](sources.md#consul)",
            "`" + DEFAULT_URI + "`",
            "rl.consul.token")
        .orElse(DEFAULT_URI);
  }

  private static String checkedPath(String text) {
    String key = text.startsWith("/") ? text.substring(1) : text;
    if (key.isEmpty() || key.endsWith("/")) {
      throw new IllegalArgumentException("use the name of a key, without a slash at its end");
    }
    return key;
  }

  /** Returns the path for a URI. */
  String encodedPath() {
    return Arrays.stream(path.split("/", -1))
        .map(step -> URLEncoder.encode(step, StandardCharsets.UTF_8).replace("+", "%20"))
        .collect(Collectors.joining("/"));
  }

  /** Returns the address and the path, without the token. */
  @Override
  public String toString() {
    return "ConsulSettings[" + uri + " " + path + "]";
  }
}
