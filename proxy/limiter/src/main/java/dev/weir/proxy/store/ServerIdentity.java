package dev.weir.proxy.store;

import dev.weir.algorithms.SipHash;
import dev.weir.proxy.store.map.StoreNode;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.net.SocketAddress;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Tells servers apart, by address, process and the history of the data, which a failover changes.
 * Charges to one may be unknown to another.
 */
final class ServerIdentity {
  private static final Pattern PROCESS = Pattern.compile("run_id:(\\w+)");
  private static final Pattern HISTORY = Pattern.compile("master_replid:(\\w+)");

  private ServerIdentity() {}

  /**
   * Asks a server for its identity; always completes. Never 0; a server that does not tell gets an
   * identity of its own.
   */
  static CompletionStage<Long> of(
      SocketAddress address, RedisAsyncCommands<byte[], byte[]> commands) {
    return commands
        .info("server")
        .thenCombine(commands.info("replication"), (server, data) -> of(address, server, data))
        .exceptionally(denied -> unknown());
  }

  /** Reads the identity from two sections of INFO. */
  static long of(SocketAddress address, String server, String replication) {
    Matcher process = PROCESS.matcher(server);
    Matcher history = HISTORY.matcher(replication);
    if (!process.find() || !history.find()) {
      return unknown();
    }
    long hash = 0;
    for (String part : new String[] {StoreNode.text(address), process.group(1), history.group(1)}) {
      for (int i = 0; i < part.length(); i++) {
        hash = SipHash.mix(hash + part.charAt(i) + 1);
      }
      hash = SipHash.mix(hash);
    }
    return hash == 0 ? 1 : hash;
  }

  private static long unknown() {
    long random = ThreadLocalRandom.current().nextLong();
    return random == 0 ? 1 : random;
  }
}
