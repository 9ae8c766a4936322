package dev.weir.scripts.server;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Ports that were free a moment ago, each given once in this JVM. They and the port of a cluster's
 * bus, 10,000 above, lie below those that the system gives to outgoing connections, so that a
 * server which was killed finds its own still free.
 */
public final class FreePorts {
  static final int BUS_OFFSET = 10_000;

  private static final int FIRST = 11_000;
  private static final int END = 22_000;
  private static final int ATTEMPTS = 1000;
  private static final Set<Integer> GIVEN = ConcurrentHashMap.newKeySet();

  private FreePorts() {}

  public static int next() {
    for (int i = 0; i < ATTEMPTS; i++) {
      final int port = ThreadLocalRandom.current().nextInt(FIRST, END);
      if (isFree(port) && isFree(port + BUS_OFFSET) && GIVEN.add(port)) {
        return port;
      }
    }
    throw new IllegalStateException("no free port from " + FIRST + " to " + (END - 1));
  }

  private static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
      return socket.isBound();
    } catch (IOException e) {
      return false;
    }
  }
}
