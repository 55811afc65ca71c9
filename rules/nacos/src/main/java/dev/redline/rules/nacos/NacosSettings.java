package dev.redline.rules.nacos;

import dev.redline.core.spi.PropertyReader;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Where the rules are in Nacos.
 *
 * @param servers the addresses of the servers, such as {@code http://127.0.0.1:8848/nacos}; the
 *     first one that answers is used
 * @param namespace the id of the namespace; {@code public} is the default one
 * @param group the group of the document
 * @param dataId the data id of the document
 * @param login who reads it, if Nacos has authentication
 * @param pollInterval how often it is read even if Nacos reported no change
 * @param timeout how long a request may take
 */
public record NacosSettings(
    List<String> servers,
    String namespace,
    String group,
    String dataId,
    Optional<Login> login,
    Duration pollInterval,
    Duration timeout) {
  private static final String PREFIX = "rl.nacos.";
  private static final String ADDRESS = PREFIX + "addr";
  private static final String DEFAULT_ADDRESS = "127.0.0.1:8848";
  private static final String DEFAULT_NAMESPACE = "public";
  private static final String DEFAULT_GROUP = "DEFAULT_GROUP";
  private static final String DEFAULT_DATA_ID = "redline-rules";
  private static final Duration DEFAULT_POLL_INTERVAL = Duration.ofSeconds(5);
  private static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(2);

  /** A user and the password. */
  public record Login(String username, String password) {
    /** Returns the user alone. */
    @Override
    public String toString() {
      return "Login[" + username + "]";
    }
  }

  /**
   * Checks the addresses.
   *
   * @throws IllegalArgumentException if there is none, or one is not valid
   */
  public NacosSettings {
    servers = servers.stream().map(NacosSettings::checkedServer).toList();
    if (servers.isEmpty()) {
      throw new IllegalArgumentException("at least one address is needed");
    }
  }

  /** Returns the default settings, for a server without authentication. */
  public static NacosSettings of(String server) {
    return new NacosSettings(
        List.of(server),
        DEFAULT_NAMESPACE,
        DEFAULT_GROUP,
        DEFAULT_DATA_ID,
        Optional.empty(),
        DEFAULT_POLL_INTERVAL,
        DEFAULT_TIMEOUT);
  }

  /** Returns these settings with authentication. */
  public NacosSettings withLogin(String username, String password) {
    return new NacosSettings(
        servers,
        namespace,
        group,
        dataId,
        Optional.of(new Login(username, password)),
        pollInterval,
        timeout);
  }

  /** Returns these settings for another document. */
  public NacosSettings withDocument(String newNamespace, String newGroup, String newDataId) {
    return new NacosSettings(
        servers, newNamespace, newGroup, newDataId, login, pollInterval, timeout);
  }

  static NacosSettings read(PropertyReader from) {
    return new NacosSettings(
        servers(from),
        from.property(PREFIX + "namespace", "the id of the namespace").text(DEFAULT_NAMESPACE),
        from.property(PREFIX + "group", "the group of the rule document").text(DEFAULT_GROUP),
        from.property(PREFIX + "data-id", "the data id of the rule document").text(DEFAULT_DATA_ID),
        login(from),
        from.property(
                PREFIX + "poll-interval",
                "how often the document is read even if Nacos reported no change")
            .duration(DEFAULT_POLL_INTERVAL),
        from.property(PREFIX + "timeout", "how long a request may take").duration(DEFAULT_TIMEOUT));
  }

  private static List<String> servers(PropertyReader from) {
    List<String> written =
        from.property(
                ADDRESS,
                "`host:port` of the Nacos servers, or their URLs, separated by commas; see"
                    + " [Nacos](sources.md#nacos)")
            .unlessSet("`" + DEFAULT_ADDRESS + "`")
            .words();
    try {
      return (written.isEmpty() ? List.of(DEFAULT_ADDRESS) : written)
          .stream().map(NacosSettings::checkedServer).toList();
    } catch (IllegalArgumentException e) {
      // Not shown, since it may hold a password.
      from.secretProblem(
          ADDRESS,
          "use host:port or http(s)://host:port/nacos; a user goes to rl.nacos.username and"
              + " rl.nacos.password");
      return List.of(DEFAULT_ADDRESS);
    }
  }

  private static Optional<Login> login(PropertyReader from) {
    Optional<String> username =
        from.property(PREFIX + "username", "the user, if Nacos has authentication").text();
    Optional<String> password =
        from.property(PREFIX + "password", "the password of the user").secret();
    if (username.isPresent() != password.isPresent()) {
      String missing = username.isPresent() ? "password" : "username";
      from.secretProblem(PREFIX + missing, "set rl.nacos.username and rl.nacos.password, or none");
    }
    return username.flatMap(user -> password.map(secret -> new Login(user, secret)));
  }

  /** Returns the URL of a server without a slash at its end. */
  private static String checkedServer(String written) {
    String url = written.contains("://") ? written : "http://" + written;
    URI uri = URI.create(url);
    boolean http = "http".equals(uri.getScheme()) || "https".equals(uri.getScheme());
    if (!http
        || uri.getHost() == null
        || uri.getRawUserInfo() != null
        || uri.getRawQuery() != null
        || uri.getRawFragment() != null) {
      throw new IllegalArgumentException("use host:port or http(s)://host:port/nacos");
    }
    String path = uri.getRawPath() == null ? "" : uri.getRawPath();
    String base = path.endsWith("/") ? url.substring(0, url.length() - 1) : url;
    return path.isEmpty() || path.equals("/") ? base + "/nacos" : base;
  }

  /** Returns the document, without the password. */
  @Override
  public String toString() {
    return "NacosSettings[" + servers + " " + namespace + " " + group + " " + dataId + "]";
  }
}
