package dev.weir.proxy.store;

import io.lettuce.core.api.StatefulRedisConnection;
import java.net.SocketAddress;
import java.util.concurrent.CompletionStage;

/** Opens an event loop's connections to servers; used by that loop, and tells it on itself. */
interface Connector {
  CompletionStage<StatefulRedisConnection<byte[], byte[]>> connect(SocketAddress address);
}
