package dev.weir.scripts.server;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Ports that were free a moment ago, each given once in this JVM, and never in another one of the
 * same build at the same time: a server that was killed must find its own still free, and nobody
 * may try it just then. Neither they nor the port of a cluster's bus, 10,000 above, are among those
 * that the system gives to outgoing connections.
 */
public final class FreePorts {
  static final int BUS_OFFSET = 10_000;

  private static final int FIRST = 11_000;
  private static final int END = FIRST + BUS_OFFSET;

  /** Blocks of ports: one for each JVM that runs tests at the same time, and some to spare. */
  private static final int FORKS = 8;

  private static final int FORK = Integer.getInteger("weir.fork", 0) % FORKS;
  private static final int ATTEMPTS = 1000;
  private static final Set<Integer> GIVEN = ConcurrentHashMap.newKeySet();

  private FreePorts() {}

  public static int next() {
    for (int i = 0; i < ATTEMPTS; i++) {
      final int random = ThreadLocalRandom.current().nextInt(FIRST, END);
      final int port = random - random % FORKS + FORK;
      if (!GIVEN.contains(port) && isFree(port) && isFree(port + BUS_OFFSET) && GIVEN.add(port)) {
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
