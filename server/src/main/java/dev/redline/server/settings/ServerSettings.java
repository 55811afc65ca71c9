package dev.redline.server.settings;

import dev.redline.core.internal.settings.PropertyCatalog;
import dev.redline.core.internal.settings.PropertyReader;
import dev.redline.core.settings.InvalidSettingsException;
import dev.redline.core.settings.Settings;
import dev.redline.redis.RedisProperties;
import dev.redline.stores.redis.RedisSettings;
import java.nio.file.Path;
import java.util.Map;

/**
 * All properties of the service, typed and checked.
 *
 * @param core what every application with an engine has
 * @param storage where bucket state is kept
 * @param redis where Redis is
 * @param redisStore how the Redis store works
 * @param config where rules come from
 * @param reload how rule changes are noticed
 * @param server how the service listens
 * @param adminTokens who may use the admin API, by name
 * @param dataDir where the service keeps its own files
 */
public record ServerSettings(
    Settings core,
    StorageSettings storage,
    RedisProperties redis,
    RedisSettings redisStore,
    RuleSourceSettings config,
    ReloadSettings reload,
    ListenSettings server,
    Map<String, AdminToken> adminTokens,
    Path dataDir) {
  /** The properties that the service understands. */
  public static final PropertyCatalog CATALOG = new PropertyCatalog(ServerSettings::read);

  /** Copies the map. */
  public ServerSettings {
    adminTokens = Map.copyOf(adminTokens);
  }

  /**
   * Reads properties given by their names, such as {@code rl.storage.max-keys}.
   *
   * @throws InvalidSettingsException if one is unknown or has a wrong value; names all of them
   */
  public static ServerSettings parse(Map<String, String> properties) {
    PropertyReader reader = new PropertyReader(properties);
    ServerSettings settings = read(reader);
    reader.finish();
    return settings;
  }

  /** Reads every section, in the order in which the sections are documented. */
  private static ServerSettings read(PropertyReader from) {
    Settings core = Settings.read(from);
    StorageSettings storage = StorageSettings.read(from);
    RedisProperties redis = RedisProperties.read(from);
    RedisSettings redisStore = RedisSettings.read(from, redis);
    RuleSourceSettings config = RuleSourceSettings.read(from);
    ReloadSettings reload = ReloadSettings.read(from, config);
    return new ServerSettings(
        core,
        storage,
        redis,
        redisStore,
        config,
        reload,
        ListenSettings.read(from),
        AdminToken.read(from),
        from.property(
                "rl.data-dir",
                "where the service keeps its own files: changed rules, and the admin token it made")
            .unlessSet("`./data`")
            .parsed("use a directory", Path::of)
            .orElse(Path.of("data")));
  }
}
