package dev.weir.proxy.redis;

import dev.weir.scripts.LuaScript;
import io.lettuce.core.ScriptOutputType;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts the sidecars that share the store, by a heartbeat that each leaves there. While the store
 * is away the last count stands: that is when it is needed.
 */
final class Peers {
  /** Where the heartbeats are kept. */
  static final int PARTITION = 0;

  static final long INTERVAL_MS = 2_000;

  /** A sidecar that has not been heard of for so long does not count. */
  private static final long KEPT_MS = 3 * INTERVAL_MS;

  private static final Logger LOG = LoggerFactory.getLogger(Peers.class);
  private static final byte[] KEY =
      ("rl:" + new String(Partitions.tag(PARTITION), StandardCharsets.US_ASCII) + ":peers")
          .getBytes(StandardCharsets.US_ASCII);

  private final StoreCalls calls;
  private final IntConsumer listener;
  private final byte[] id = UUID.randomUUID().toString().getBytes(StandardCharsets.US_ASCII);
  private volatile int count = 1;
  private long confirmedNs = System.nanoTime();
  private String trouble;

  /**
   * @param listener is told of each count that is another one, by whoever calls {@link #beat}.
   */
  Peers(StoreCalls calls, IntConsumer listener) {
    this.calls = calls;
    this.listener = listener;
  }

  /** The last count, 1 or more. Any thread. */
  int count() {
    return count;
  }

  /** Leaves a heartbeat, and counts. */
  void beat(SocketAddress server) {
    call(server, KEPT_MS);
  }

  /** Takes this sidecar out of the count. */
  void leave(SocketAddress server) {
    call(server, 0);
  }

  /** Takes a smaller count only if it lasts: a server that has just started knows of nobody yet. */
  private void counted(int now) {
    long nowNs = System.nanoTime();
    boolean isLess = now < count;
    if (!isLess) {
      confirmedNs = nowNs;
    }
    boolean lasts = nowNs - confirmedNs > TimeUnit.MILLISECONDS.toNanos(KEPT_MS);
    if (now != count && (!isLess || lasts)) {
      count = now;
      listener.accept(now);
    }
  }

  private void call(SocketAddress server, long keptMs) {
    try {
      byte[] kept = Long.toString(keptMs).getBytes(StandardCharsets.US_ASCII);
      Long answer =
          calls.await(
              server,
              calls
                  .node(server)
                  .thenCompose(
                      connection ->
                          connection
                              .async()
                              .<Long>eval(
                                  LuaScript.PEERS.source(),
                                  ScriptOutputType.INTEGER,
                                  new byte[][] {KEY},
                                  id,
                                  kept)));
      counted((int) Math.max(1, answer));
      trouble = null;
    } catch (IOException fault) {
      calls.drop(server);
      if (!fault.getMessage().equals(trouble)) {
        trouble = fault.getMessage();
        LOG.warn("{}; sidecars that share the store: {}, as last counted", trouble, count);
      }
    }
  }
}
