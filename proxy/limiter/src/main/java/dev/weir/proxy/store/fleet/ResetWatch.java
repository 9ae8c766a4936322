package dev.weir.proxy.store.fleet;

import dev.weir.proxy.store.map.LoopRedisClient;
import dev.weir.proxy.store.map.StoreCalls;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.io.IOException;
import java.net.SocketAddress;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Subscribes to the channel {@link #CHANNEL} of every server, on which operators announce the
 * budgets that they have reset. If the message is the name of a budget, its remembered refusals are
 * forgotten; otherwise all are. All are forgotten too when a connection is opened, as messages may
 * have been missed.
 *
 * <p>Used by the thread that reads the store's map.
 */
public final class ResetWatch {
  static final String CHANNEL = "rl:reset";

  /** Stands for all budgets; no budget has this name. */
  private static final String EVERYTHING = "";

  private final StoreCalls calls;
  private final LoopRedisClient client;
  private final Consumer<String> forget;
  private final Map<SocketAddress, StatefulRedisPubSubConnection<String, String>> connections =
      new HashMap<>();

  /**
   * @param forget takes each message, on any thread.
   */
  public ResetWatch(StoreCalls calls, LoopRedisClient client, Consumer<String> forget) {
    this.calls = calls;
    this.client = client;
    this.forget = forget;
  }

  /** Subscribes at those servers, and at no others. */
  public void follow(List<SocketAddress> servers) throws IOException {
    for (Iterator<Map.Entry<SocketAddress, StatefulRedisPubSubConnection<String, String>>> all =
            connections.entrySet().iterator();
        all.hasNext(); ) {
      var entry = all.next();
      if (!servers.contains(entry.getKey()) || !entry.getValue().isOpen()) {
        entry.getValue().closeAsync();
        all.remove();
      }
    }
    IOException last = null;
    for (SocketAddress server : servers) {
      if (!connections.containsKey(server)) {
        try {
          listen(server);
        } catch (IOException fault) {
          last = fault; // one that is away keeps nobody from listening to the others
        }
      }
    }
    if (last != null) {
      throw last;
    }
  }

  private void listen(SocketAddress server) throws IOException {
    StatefulRedisPubSubConnection<String, String> connection =
        calls.await(server, client.onLoop(() -> client.connectPubSub(server)));
    connection.addListener(
        new RedisPubSubAdapter<>() {
          @Override
          public void message(String channel, String message) {
            forget.accept(message);
          }
        });
    connections.put(server, connection);
    calls.await(server, connection.async().subscribe(CHANNEL));
    forget.accept(EVERYTHING);
  }

  public void close() {
    connections.values().forEach(StatefulRedisPubSubConnection::closeAsync);
    connections.clear();
  }
}
