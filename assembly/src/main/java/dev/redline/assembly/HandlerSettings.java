package dev.redline.assembly;

import dev.redline.core.rule.Mode;
import dev.redline.core.settings.Settings;
import dev.redline.core.spi.PropertyReader;

/** What decides, and which properties have no effect while a Redline server does. */
final class HandlerSettings {
  private static final String HANDLER = "rl.handler";

  /** What decides. */
  private enum Handler {
    EMBEDDED,
    REMOTE
  }

  private HandlerSettings() {}

  /** Returns whether a server decides; reports the properties that it would not know of. */
  static boolean isRemote(PropertyReader from, Settings core) {
    boolean remote =
        from.property(
                    HANDLER,
                    "what decides: the engine in this application, or with `REMOTE` a Redline"
                        + " server; see [The Java client](client.md)")
                .choice(Handler.class, Handler.EMBEDDED)
            == Handler.REMOTE;
    if (remote) {
      if (core.mode() == Mode.SHADOW) {
        from.problem("rl.mode", "SHADOW", "the server decides: set rl.mode there");
      }
      if (core.waitForRefill().enabled()) {
        from.problem(
            "rl.wait-for-refill.enabled", "true", "the server decides, and callers cannot wait");
      }
      if (core.headers().ietf()) {
        from.problem("rl.headers.ietf", "true", "the server decides, and does not send all limits");
      }
    }
    return remote;
  }

  /** Reports a store that would keep no bucket. */
  static void checkStorage(PropertyReader from, StorageSettings storage) {
    if (!storage.type().equalsIgnoreCase(StorageSettings.DEFAULT)) {
      from.problem(
          StorageSettings.TYPE,
          storage.type(),
          "the server decides and keeps the buckets: set rl.storage.type there");
    }
  }
}
