package dev.redline.spring.boot.autoconfigure;

import io.lettuce.core.ClientOptions;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisPassword;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Takes address, credentials, TLS and connect time-out of Redis from the application's {@link
 * LettuceConnectionFactory}. Redline has its own connection: its calls have another time-out, and
 * must not wait behind those of the application.
 */
final class LettuceHostProperties implements RedisHostProperties {
  private static final String URI = "rl.redis.uri";

  private final ObjectProvider<LettuceConnectionFactory> factories;

  LettuceHostProperties(ObjectProvider<LettuceConnectionFactory> factories) {
    this.factories = factories;
  }

  @Override
  public Map<String, String> find() {
    LettuceConnectionFactory factory = factories.getIfAvailable();
    return factory == null ? Map.of() : properties(factory);
  }

  static Map<String, String> properties(LettuceConnectionFactory factory) {
    Map<String, String> properties = new LinkedHashMap<>();
    LettuceClientConfiguration client = factory.getClientConfiguration();
    String scheme = client.isUseSsl() ? "rediss" : "redis";
    RedisSentinelConfiguration sentinel = factory.getSentinelConfiguration();
    RedisClusterConfiguration cluster = factory.getClusterConfiguration();
    if (sentinel != null) {
      properties.put(URI, sentinelUri(sentinel, scheme));
    } else if (cluster != null) {
      List<String> nodes =
          cluster.getClusterNodes().stream().map(LettuceHostProperties::address).toList();
      String credentials = credentials(cluster.getUsername(), cluster.getPassword());
      properties.put(URI, scheme + "://" + credentials + nodes.get(0));
      properties.put("rl.redis.cluster-nodes", String.join(",", nodes));
    } else if (RedisConfiguration.isDomainSocketConfiguration(factory.getSocketConfiguration())) {
      properties.put(URI, "redis-socket://" + factory.getSocketConfiguration().getSocket());
    } else {
      RedisStandaloneConfiguration server = factory.getStandaloneConfiguration();
      properties.put(
          URI,
          scheme
              + "://"
              + credentials(server.getUsername(), server.getPassword())
              + address(server.getHostName(), server.getPort())
              + "/"
              + server.getDatabase());
    }
    connectTimeout(client).ifPresent(time -> properties.put("rl.redis.connect-timeout", time));
    return properties;
  }

  private static String sentinelUri(RedisSentinelConfiguration sentinel, String scheme) {
    String nodes =
        sentinel.getSentinels().stream()
            .map(LettuceHostProperties::address)
            .collect(Collectors.joining(","));
    return scheme
        + "-sentinel://"
        + credentials(sentinel.getUsername(), sentinel.getPassword())
        + nodes
        + "/"
        + sentinel.getDatabase()
        + "#"
        + sentinel.getMaster().getName();
  }

  private static Optional<String> connectTimeout(LettuceClientConfiguration client) {
    return client
        .getClientOptions()
        .map(ClientOptions::getSocketOptions)
        .map(socket -> socket.getConnectTimeout().toMillis() + "ms");
  }

  private static String credentials(@Nullable String user, RedisPassword password) {
    if (!password.isPresent()) {
      return "";
    }
    String secret = password.map(String::new).orElse("");
    return (user == null ? "" : encoded(user)) + ":" + encoded(secret) + "@";
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  private static String address(RedisNode node) {
    Integer port = node.getPort();
    return address(String.valueOf(node.getHost()), port == null ? 6379 : port);
  }

  private static String address(String host, int port) {
    return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
  }
}
