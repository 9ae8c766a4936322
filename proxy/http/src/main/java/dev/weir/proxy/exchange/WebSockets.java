package dev.weir.proxy.exchange;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;

/**
 * The WebSockets that are open on one event loop; their clients get a Close frame when the process
 * ends.
 */
final class WebSockets {
  private final Set<Tunnel> open = Collections.newSetFromMap(new IdentityHashMap<>());
  private boolean goAway;

  void opened(Tunnel webSocket) {
    open.add(webSocket);
    if (goAway) {
      webSocket.goAway();
    }
  }

  void ended(Tunnel webSocket) {
    open.remove(webSocket);
  }

  /** Sends Close frames on all of them, and on those that are opened from now on. */
  void goAway() {
    goAway = true;
    for (Tunnel webSocket : new ArrayList<>(open)) {
      webSocket.goAway();
    }
  }
}
