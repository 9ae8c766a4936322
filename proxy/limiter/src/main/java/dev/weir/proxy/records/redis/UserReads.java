package dev.weir.proxy.records.redis;

import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.store.map.StoreCalls;
import dev.weir.proxy.store.map.StoreServers;
import io.lettuce.core.api.StatefulRedisConnection;
import java.io.IOException;
import java.net.SocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/**
 * Reads of users that decisions wait for: no thread waits for an answer, and nothing is repeated.
 * Reads of users whose server is {@linkplain AwayServers away} fail at once, so that it delays
 * nobody but its own users. Any thread.
 */
final class UserReads {
  /** How long an answer may take; decisions wait for a part of it only. */
  private static final long ANSWER_NS = TimeUnit.SECONDS.toNanos(1);

  private final StoreServers servers;
  private final AwayServers away = new AwayServers(LoopClock::timeNs);

  UserReads(StoreServers servers) {
    this.servers = servers;
  }

  /**
   * Reads a field of a hash.
   *
   * @param partition that the key is of.
   * @return completes with null if there is none; exceptionally within {@link #ANSWER_NS} if the
   *     server does not answer, or answers with an error.
   */
  CompletionStage<byte[]> hget(int partition, byte[] key, byte[] field) {
    SocketAddress server = servers.of(partition);
    if (server == null) {
      servers.refresh();
      return failed("no server has partition " + partition);
    }
    if (!away.mayAsk(server)) {
      return failed(server + " has not answered within a second");
    }
    CompletableFuture<StatefulRedisConnection<byte[], byte[]>> node =
        servers.userCalls().node(server);
    return node.thenCompose(open -> open.async().hget(key, field))
        .orTimeout(ANSWER_NS, TimeUnit.NANOSECONDS)
        .whenComplete((value, fault) -> ended(server, node, fault));
  }

  private static CompletionStage<byte[]> failed(String why) {
    return CompletableFuture.failedFuture(new IOException("redis: " + why));
  }

  private void ended(SocketAddress server, CompletableFuture<?> node, Throwable fault) {
    if (fault == null) {
      away.answered(server);
    } else if (RecordCalls.innermost(fault) != null) {
      away.answered(server);
      servers.refresh(); // the partition may have moved
    } else {
      away.notAnswered(server);
      StoreCalls calls = servers.userCalls();
      if (node.isDone()) {
        calls.drop(server); // whatever is the matter, the connection is not to be trusted
      }
    }
  }
}
