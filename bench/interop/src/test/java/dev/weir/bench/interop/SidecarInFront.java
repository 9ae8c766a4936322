package dev.weir.bench.interop;

import dev.weir.proxy.control.Faults;
import dev.weir.proxy.control.SettingsFlags;
import dev.weir.proxy.wiring.Sidecar;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Map;

/** A sidecar in front of a server on this machine. */
final class SidecarInFront implements AutoCloseable {
  private final Sidecar sidecar;

  /**
   * @param flags a flag, its value, and so on.
   */
  SidecarInFront(int serverPort, String... flags) {
    Map<String, String> all =
        new HashMap<>(
            Map.of(
                "--upstream", "h2c://127.0.0.1:" + serverPort,
                "--listen", "127.0.0.1:0",
                "--admin", "off",
                "--event-loops", "1",
                "--table.keys", "1000"));
    for (int i = 0; i < flags.length; i += 2) {
      all.put(flags[i], flags[i + 1]);
    }
    Faults faults = Faults.ofFlags();
    try {
      sidecar = Sidecar.start(SettingsFlags.read(all, faults));
    } catch (Exception fault) {
      throw new IllegalStateException(faults.toString(), fault);
    }
  }

  int port() {
    return ((InetSocketAddress) sidecar.listenAddress()).getPort();
  }

  int adminPort() {
    return ((InetSocketAddress) sidecar.adminAddress()).getPort();
  }

  @Override
  public void close() {
    sidecar.close();
  }
}
