package dev.redline.server.wiring;

import dev.redline.server.data.DataPlane;
import dev.redline.server.data.DataPlaneSettings;
import dev.redline.server.data.InvalidTlsFilesException;
import java.io.IOException;
import java.util.List;
import org.springframework.context.SmartLifecycle;

/** Opens the data plane after everything else, and closes it before everything else. */
final class DataPlaneLifecycle implements SmartLifecycle {
  private final DataPlane dataPlane;
  private final DataPlaneSettings settings;
  private volatile boolean running;

  DataPlaneLifecycle(DataPlane dataPlane, DataPlaneSettings settings) {
    this.dataPlane = dataPlane;
    this.settings = settings;
  }

  @Override
  public void start() {
    try {
      dataPlane.start();
    } catch (IOException e) {
      throw new StartupFailure(
          List.of(
              "cannot listen on "
                  + settings.host()
                  + " port "
                  + settings.port()
                  + ": "
                  + e.getMessage()
                  + "; choose another with --port (rl.server.port, rl.server.host)"),
          e);
    } catch (InvalidTlsFilesException e) {
      throw new StartupFailure(List.of(String.valueOf(e.getMessage())), e);
    }
    running = true;
  }

  @Override
  public void stop() {
    running = false;
    dataPlane.stop();
  }

  @Override
  public boolean isRunning() {
    return running;
  }

  @Override
  public int getPhase() {
    return Integer.MAX_VALUE;
  }
}
