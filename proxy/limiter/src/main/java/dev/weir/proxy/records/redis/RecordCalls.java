package dev.weir.proxy.records.redis;

import dev.weir.proxy.records.RecordStoreException;
import dev.weir.proxy.store.map.StoreCalls;
import dev.weir.proxy.store.map.StoreServers;
import dev.weir.scripts.LuaScript;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.io.IOException;
import java.net.SocketAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.regex.Pattern;

/**
 * Calls to the servers of the store's partitions. A call without an answer is repeated for a while,
 * at the server that has the partition by then: it may be executed twice, so it must be one that a
 * repetition does not harm.
 */
final class RecordCalls {
  private static final long REPEATED_NS = TimeUnit.SECONDS.toNanos(1);
  private static final int LEAST_SCRIPTS = 2;
  private static final long PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(50);

  /** Errors of a server that another one may not have, or that end by themselves. */
  private static final Pattern PASSES =
      Pattern.compile(
          "(MOVED|ASK|TRYAGAIN|READONLY|CLUSTERDOWN|LOADING|MASTERDOWN|BUSY|NOREPLICAS|UNBLOCKED)"
              + " .*",
          Pattern.DOTALL);

  private static final long NO_REPLICA = -1;

  private final StoreServers servers;

  RecordCalls(StoreServers servers) {
    this.servers = servers;
  }

  /**
   * Runs a script that writes on the server of a partition. It is repeated at least once, so that
   * who asks learns what became of it, though the first answer is lost.
   *
   * @throws RecordStoreException that says so if the script may have been executed.
   */
  List<Object> script(int partition, LuaScript script, byte[][] keys, byte[]... arguments)
      throws RecordStoreException {
    AtomicInteger unanswered = new AtomicInteger();
    try {
      return repeat(
          partition,
          LEAST_SCRIPTS,
          server -> {
            CompletableFuture<?> connected = servers.calls().node(server);
            unanswered.incrementAndGet();
            return connected
                .thenCompose(open -> servers.calls().script(server, script, keys, arguments))
                .whenComplete(
                    (reply, fault) -> {
                      if (connected.isCompletedExceptionally() || innermost(fault) != null) {
                        unanswered.decrementAndGet(); // not sent, or refused
                      }
                    });
          });
    } catch (RecordStoreException fault) {
      throw unanswered.get() > 0 ? fault.perhapsWritten() : fault;
    }
  }

  /** Runs a command on the server of a partition. */
  <T> T command(
      int partition, Function<RedisAsyncCommands<byte[], byte[]>, CompletionStage<T>> command)
      throws RecordStoreException {
    return repeat(
        partition,
        1,
        server -> servers.calls().node(server).thenCompose(open -> command.apply(open.async())));
  }

  /** Runs a command that a repetition would harm: once, and perhaps not at all. */
  <T> void commandOnce(
      int partition, Function<RedisAsyncCommands<byte[], byte[]>, CompletionStage<T>> command) {
    try {
      SocketAddress server = servers.of(partition);
      if (server != null) {
        await(
            server,
            at -> servers.calls().node(at).thenCompose(open -> command.apply(open.async())));
      }
    } catch (IOException unknown) {
      // Nobody can tell whether it was executed.
    }
  }

  /**
   * Waits until the servers of some partitions have passed on to a replica what was written over
   * these connections: of all at the same time.
   *
   * @return false if one has not; null if one has no replica, and no other has not.
   */
  Boolean isCopied(Set<Integer> partitions, long mostMs) {
    Map<SocketAddress, CompletionStage<Long>> asked = new HashMap<>();
    for (int partition : partitions) {
      SocketAddress server = servers.of(partition);
      if (server == null) {
        return false;
      }
      asked.computeIfAbsent(server, at -> copies(at, mostMs));
    }
    boolean isWithoutReplica = false;
    for (Map.Entry<SocketAddress, CompletionStage<Long>> each : asked.entrySet()) {
      try {
        long copies = servers.calls().await(each.getKey(), each.getValue());
        if (copies == 0) {
          return false;
        }
        isWithoutReplica |= copies == NO_REPLICA;
      } catch (IOException unknown) {
        return false;
      }
    }
    return isWithoutReplica ? null : true;
  }

  private CompletionStage<Long> copies(SocketAddress server, long mostMs) {
    return servers
        .calls()
        .node(server)
        .thenCompose(
            open ->
                open.async()
                    .info("replication")
                    .thenCompose(
                        info ->
                            info.contains("connected_slaves:0")
                                ? CompletableFuture.completedFuture(NO_REPLICA)
                                : open.async().waitForReplication(1, mostMs)));
  }

  private <T> T repeat(int partition, int least, Function<SocketAddress, CompletionStage<T>> call)
      throws RecordStoreException {
    long endNs = System.nanoTime() + REPEATED_NS;
    for (int attempt = 1; ; attempt++) {
      try {
        SocketAddress server = servers.of(partition);
        if (server == null) {
          throw new IOException("redis: no server has partition " + partition);
        }
        return await(server, call);
      } catch (IOException fault) {
        if (!mayPass(fault) || attempt >= least && System.nanoTime() - endNs > 0) {
          throw new RecordStoreException(fault.getMessage(), fault);
        }
        servers.refresh();
        LockSupport.parkNanos(PAUSE_NS);
        if (Thread.currentThread().isInterrupted()) {
          throw new RecordStoreException("stopped", fault);
        }
      }
    }
  }

  private <T> T await(SocketAddress server, Function<SocketAddress, CompletionStage<T>> call)
      throws IOException {
    StoreCalls calls = servers.calls();
    try {
      return calls.await(server, call.apply(server));
    } catch (IOException fault) {
      if (innermost(fault) == null) {
        calls.drop(server); // whatever is the matter with it, the connection is not to be trusted
      }
      throw fault;
    }
  }

  /** False if the server has answered, and would answer the same again. */
  private static boolean mayPass(IOException fault) {
    RedisCommandExecutionException answer = innermost(fault);
    return answer == null || PASSES.matcher(String.valueOf(answer.getMessage())).matches();
  }

  /** The error that the server answered; null if it did not answer. */
  static RedisCommandExecutionException innermost(Throwable fault) {
    Throwable cause = fault;
    while (cause != null && !(cause instanceof RedisCommandExecutionException)) {
      cause = cause.getCause();
    }
    return (RedisCommandExecutionException) cause;
  }
}
