package dev.weir.proxy.redis;

import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.sentinel.api.StatefulRedisSentinelConnection;
import java.io.IOException;
import java.net.SocketAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Calls that wait for their answers, on connections of their own: for the thread that keeps the
 * store's map. A connection is kept until it fails.
 */
final class StoreCalls {
  private final LoopRedisClient client;
  private final long timeoutNs;
  private final Map<SocketAddress, StatefulConnection<?, ?>> connections = new HashMap<>();

  StoreCalls(LoopRedisClient client, long timeoutNs) {
    this.client = client;
    this.timeoutNs = timeoutNs;
  }

  /** A connection to a server that keeps data. */
  @SuppressWarnings("unchecked") // the kind of connection follows from the address
  StatefulRedisConnection<byte[], byte[]> node(SocketAddress address) throws IOException {
    StatefulConnection<?, ?> open = open(address);
    if (open == null) {
      open = await(StoreNode.text(address), client.onLoop(() -> client.connect(address)));
      connections.put(address, open);
    }
    return (StatefulRedisConnection<byte[], byte[]>) open;
  }

  @SuppressWarnings("unchecked") // the kind of connection follows from the address
  StatefulRedisSentinelConnection<String, String> sentinel(SocketAddress address)
      throws IOException {
    StatefulConnection<?, ?> open = open(address);
    if (open == null) {
      open = await(StoreNode.text(address), client.onLoop(() -> client.connectSentinel(address)));
      connections.put(address, open);
    }
    return (StatefulRedisSentinelConnection<String, String>) open;
  }

  private StatefulConnection<?, ?> open(SocketAddress address) {
    StatefulConnection<?, ?> open = connections.get(address);
    if (open != null && !open.isOpen()) {
      connections.remove(address);
      return null;
    }
    return open;
  }

  /** Closes what was opened to a server, so that the next call opens it anew. */
  void drop(SocketAddress address) {
    StatefulConnection<?, ?> open = connections.remove(address);
    if (open != null) {
      open.closeAsync();
    }
  }

  /**
   * Waits for an answer.
   *
   * @throws IOException naming the server and the cause.
   */
  <T> T await(String server, CompletionStage<T> answer) throws IOException {
    CompletableFuture<T> future = answer.toCompletableFuture();
    try {
      return future.get(timeoutNs, TimeUnit.NANOSECONDS);
    } catch (ExecutionException fault) {
      throw new IOException("redis " + server + ": " + StoreHealth.cause(fault), fault);
    } catch (TimeoutException late) {
      future.cancel(true);
      throw new IOException(
          "redis " + server + ": no answer within " + timeoutNs / 1_000_000 + " ms", late);
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      throw new IOException("stopped", stopped);
    }
  }

  void close() {
    connections.values().forEach(StatefulConnection::closeAsync);
    connections.clear();
  }
}
