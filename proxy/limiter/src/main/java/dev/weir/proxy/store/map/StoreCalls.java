package dev.weir.proxy.store.map;

import dev.weir.proxy.log.PeerText;
import dev.weir.proxy.log.SystemText;
import dev.weir.scripts.LuaScript;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.sentinel.api.StatefulRedisSentinelConnection;
import java.io.IOException;
import java.net.SocketAddress;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

/**
 * Blocking calls to the store, on connections of their own, for the thread that reads the store's
 * map. A connection is kept until it fails, or leaves a call without an answer. After it is closed
 * this opens no connection, as that thread may still run.
 */
public final class StoreCalls {
  private static final long BEHIND_NS = 100_000_000;

  private final LoopRedisClient client;
  private final long timeoutNs;
  private final Map<SocketAddress, CompletableFuture<? extends StatefulConnection<?, ?>>>
      connections = new HashMap<>();

  private boolean closed;

  public StoreCalls(LoopRedisClient client, long timeoutNs) {
    this.client = client;
    this.timeoutNs = timeoutNs;
  }

  /** A connection to a server that keeps data. */
  public CompletableFuture<StatefulRedisConnection<byte[], byte[]>> node(SocketAddress address) {
    return open(address, server -> client.connect(server));
  }

  /** A connection to a sentinel. */
  CompletableFuture<StatefulRedisSentinelConnection<String, String>> sentinel(
      SocketAddress address) {
    return open(address, server -> client.connectSentinel(server));
  }

  @SuppressWarnings("unchecked") // the kind of connection follows from the address
  private synchronized <C extends StatefulConnection<?, ?>> CompletableFuture<C> open(
      SocketAddress address, Function<SocketAddress, CompletionStage<C>> connect) {
    if (closed) {
      return CompletableFuture.failedFuture(new IOException("stopped"));
    }
    CompletableFuture<C> present = (CompletableFuture<C>) connections.get(address);
    if (present == null || isLost(present)) {
      present = client.onLoop(() -> connect.apply(address)).toCompletableFuture();
      connections.put(address, present);
    }
    return present;
  }

  private static boolean isLost(CompletableFuture<? extends StatefulConnection<?, ?>> connection) {
    return connection.isCompletedExceptionally()
        || connection.isDone() && !connection.join().isOpen();
  }

  /** Closes the connections to a server, so that the next call opens a new one. */
  public synchronized void drop(SocketAddress address) {
    CompletableFuture<? extends StatefulConnection<?, ?>> open = connections.remove(address);
    if (open != null) {
      open.thenAccept(StatefulConnection::closeAsync); // also if it opens only later
    }
  }

  /** Runs a script; its source is sent if the server does not have it. */
  public CompletionStage<List<Object>> script(
      SocketAddress server, LuaScript script, byte[][] keys, byte[]... arguments) {
    return node(server)
        .thenCompose(
            open ->
                open.async()
                    .<List<Object>>evalsha(script.sha1(), ScriptOutputType.MULTI, keys, arguments)
                    .exceptionallyCompose(
                        fault ->
                            fault instanceof RedisNoScriptException
                                ? open.async()
                                    .<List<Object>>eval(
                                        script.source(), ScriptOutputType.MULTI, keys, arguments)
                                : CompletableFuture.failedFuture(fault)));
  }

  /**
   * Waits for an answer.
   *
   * @throws IOException naming the server and the cause.
   */
  public <T> T await(SocketAddress server, CompletionStage<T> answer) throws IOException {
    return await(server, answer, timeoutNs);
  }

  private <T> T await(SocketAddress server, CompletionStage<T> answer, long leftNs)
      throws IOException {
    String name = StoreNode.text(server);
    try {
      return answer.toCompletableFuture().get(leftNs, TimeUnit.NANOSECONDS);
    } catch (ExecutionException fault) {
      String cause = PeerText.shown(cause(fault));
      throw new IOException("redis " + name + ": " + cause, fault);
    } catch (TimeoutException late) {
      drop(server);
      throw new IOException(
          "redis " + name + ": no answer within " + timeoutNs / 1_000_000 + " ms", late);
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      throw new IOException("stopped", stopped);
    }
  }

  /**
   * Asks several servers at once.
   *
   * @return the answers that came in time, at least one: after the first, the others have {@link
   *     #BEHIND_NS} more.
   * @throws IOException naming the last server and the cause, if none answered.
   */
  <T> Map<SocketAddress, T> askEach(
      Collection<SocketAddress> servers, Function<SocketAddress, CompletionStage<T>> question)
      throws IOException {
    Map<SocketAddress, CompletionStage<T>> asked = new LinkedHashMap<>();
    for (SocketAddress server : servers) {
      asked.put(server, question.apply(server));
    }
    awaitFirst(asked.values());
    Map<SocketAddress, T> answers = new LinkedHashMap<>();
    IOException last = new IOException("redis: no node to ask");
    long endNs = System.nanoTime() + BEHIND_NS;
    for (Map.Entry<SocketAddress, CompletionStage<T>> each : asked.entrySet()) {
      try {
        long leftNs = Math.max(0, endNs - System.nanoTime());
        answers.put(each.getKey(), await(each.getKey(), each.getValue(), leftNs));
      } catch (IOException fault) {
        last = fault;
      }
    }
    if (answers.isEmpty()) {
      throw last;
    }
    return answers;
  }

  /** Waits until one has answered, all have failed, or the time is up. */
  private void awaitFirst(Collection<? extends CompletionStage<?>> asked) {
    CompletableFuture<Void> first = new CompletableFuture<>();
    CompletableFuture<?>[] all =
        asked.stream()
            .map(each -> each.thenAccept(answer -> first.complete(null)).toCompletableFuture())
            .toArray(CompletableFuture[]::new);
    CompletableFuture.allOf(all).whenComplete((done, fault) -> first.complete(null));
    try {
      first.get(timeoutNs, TimeUnit.NANOSECONDS);
    } catch (TimeoutException | ExecutionException none) {
      // Whoever takes the answers finds that there is none.
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }

  public synchronized void close() {
    closed = true;
    connections.values().forEach(open -> open.thenAccept(StatefulConnection::closeAsync));
    connections.clear();
  }

  /** The innermost cause of a fault, in one line; for an error of a server its own words. */
  public static String cause(Throwable fault) {
    Throwable cause = fault;
    while (cause.getCause() != null
        && (cause instanceof CompletionException || cause.getCause() != cause)) {
      cause = cause.getCause();
    }
    String text = SystemText.of(cause);
    return text.lines().findFirst().orElse(text);
  }
}
