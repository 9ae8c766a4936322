package dev.weir.proxy.store.map;

import dev.weir.proxy.loop.Transport;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.ConnectionBuilder;
import io.lettuce.core.ConnectionEvents;
import io.lettuce.core.MaintNotificationsConfig;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SslOptions;
import io.lettuce.core.SslVerifyMode;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.event.Event;
import io.lettuce.core.event.EventBus;
import io.lettuce.core.metrics.CommandLatencyRecorder;
import io.lettuce.core.protocol.ProtocolVersion;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.lettuce.core.resource.EventLoopGroupProvider;
import io.lettuce.core.sentinel.api.StatefulRedisSentinelConnection;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.local.LocalIoHandler;
import io.netty.resolver.DefaultAddressResolverGroup;
import io.netty.util.HashedWheelTimer;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutorGroup;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.ImmediateEventExecutor;
import io.netty.util.concurrent.SucceededFuture;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Lettuce on one of the proxy's own event loops: answers come on the thread that asked. It neither
 * reconnects nor repeats calls by itself: a call whose answer is lost may have been executed, and
 * only the caller knows what that means.
 */
public final class LoopRedisClient extends RedisClient {
  /** The most calls of one connection that wait for answers; more are refused. */
  static final int MAX_CALLS = 4096;

  private final EventLoop eventLoop;
  private final Transport transport;
  private final StoreSettings settings;
  private SocketAddress target;

  public LoopRedisClient(
      ClientResources resources,
      EventLoop eventLoop,
      Transport transport,
      StoreSettings settings,
      Duration connectTimeout) {
    super(resources, RedisURI.create("localhost", 1));
    this.eventLoop = eventLoop;
    this.transport = transport;
    this.settings = settings;
    setOptions(options(settings, connectTimeout));
  }

  /** Makes what all clients of a process share: one timer thread, and no metrics. */
  public static ClientResources resources() {
    return DefaultClientResources.builder()
        .eventLoopGroupProvider(new NoGroups())
        .eventExecutorGroup(ImmediateEventExecutor.INSTANCE)
        .addressResolverGroup(DefaultAddressResolverGroup.INSTANCE)
        .timer(new HashedWheelTimer(new DefaultThreadFactory("weir-store-timer", true)))
        .commandLatencyRecorder(CommandLatencyRecorder.disabled())
        .eventBus(new NoEvents())
        .build();
  }

  private static ClientOptions options(StoreSettings settings, Duration connectTimeout) {
    ClientOptions.Builder options =
        ClientOptions.builder()
            .autoReconnect(false)
            .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
            .requestQueueSize(MAX_CALLS)
            .protocolVersion(ProtocolVersion.RESP2)
            .maintNotificationsConfig(MaintNotificationsConfig.disabled())
            .timeoutOptions(TimeoutOptions.create())
            .socketOptions(SocketOptions.builder().connectTimeout(connectTimeout).build());
    if (settings.tls()) {
      SslOptions.Builder tls = SslOptions.builder().jdkSslProvider();
      if (settings.tlsCa() != null) {
        tls.trustManager(settings.tlsCa().toFile());
      }
      options.sslOptions(tls.build());
    }
    return options.build();
  }

  /** Makes a call on the event loop, from any thread. */
  public <T> CompletionStage<T> onLoop(Supplier<CompletionStage<T>> call) {
    return CompletableFuture.supplyAsync(call, eventLoop).thenCompose(made -> made);
  }

  /** Opens a connection, on the event loop. */
  public CompletionStage<StatefulRedisConnection<byte[], byte[]>> connect(SocketAddress address) {
    target = address;
    return connectAsync(ByteArrayCodec.INSTANCE, uri(address));
  }

  /** Opens a connection for subscriptions, on the event loop. */
  public CompletionStage<StatefulRedisPubSubConnection<String, String>> connectPubSub(
      SocketAddress address) {
    target = address;
    return connectPubSubAsync(StringCodec.UTF8, uri(address));
  }

  /** Opens a connection to a sentinel, which has a login of its own, on the event loop. */
  CompletionStage<StatefulRedisSentinelConnection<String, String>> connectSentinel(
      SocketAddress address) {
    target = address;
    return connectSentinelAsync(StringCodec.UTF8, uri(address, settings.sentinelLogin()));
  }

  private RedisURI uri(SocketAddress address) {
    RedisURI uri = uri(address, settings.login());
    uri.setDatabase(settings.database());
    return uri;
  }

  private RedisURI uri(SocketAddress address, StoreLogin login) {
    boolean isInet = address instanceof InetSocketAddress;
    RedisURI.Builder uri =
        RedisURI.builder()
            .withHost(isInet ? ((InetSocketAddress) address).getHostString() : "localhost")
            .withPort(isInet ? ((InetSocketAddress) address).getPort() : 1)
            .withTimeout(getOptions().getSocketOptions().getConnectTimeout());
    if (isInet && settings.tls()) {
      uri.withSsl(true).withVerifyPeer(SslVerifyMode.FULL);
    }
    if (login.username() != null) {
      uri.withAuthentication(login.username(), login.password());
    } else if (!login.password().isEmpty()) {
      uri.withPassword(login.password().toCharArray());
    }
    RedisURI built = uri.build();
    built.setLibraryName("");
    built.setLibraryVersion("");
    return built;
  }

  @Override
  protected Mono<SocketAddress> getSocketAddress(RedisURI uri) {
    return Mono.just(transport.adapt(target));
  }

  /** Uses this event loop and its kind of channel, where Lettuce would choose its own. */
  @Override
  protected void connectionBuilder(
      Mono<SocketAddress> address,
      ConnectionBuilder builder,
      ConnectionEvents events,
      RedisURI uri) {
    super.connectionBuilder(address, builder, events, uri);
    int timeoutMs = (int) getOptions().getSocketOptions().getConnectTimeout().toMillis();
    Bootstrap bootstrap =
        new Bootstrap()
            .group(eventLoop)
            .channel(transport.clientChannel(target))
            .resolver(DefaultAddressResolverGroup.INSTANCE)
            .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, timeoutMs);
    if (!(target instanceof UnixDomainSocketAddress)) {
      bootstrap.option(ChannelOption.TCP_NODELAY, true).option(ChannelOption.SO_KEEPALIVE, true);
    }
    builder.bootstrap(bootstrap);
  }

  /**
   * A provider of event loops for Lettuce that starts no thread, as Lettuce asks for one and does
   * not use it.
   */
  private static final class NoGroups implements EventLoopGroupProvider {
    private static final EventLoopGroup UNUSED =
        new MultiThreadIoEventLoopGroup(1, LocalIoHandler.newFactory());

    @Override
    @SuppressWarnings("unchecked") // Lettuce takes it for an EventLoopGroup, and no more
    public <T extends EventLoopGroup> T allocate(Class<T> type) {
      return (T) UNUSED;
    }

    @Override
    public int threadPoolSize() {
      return 1;
    }

    @Override
    public Future<Boolean> release(
        EventExecutorGroup group, long quietPeriod, long timeout, TimeUnit unit) {
      return new SucceededFuture<>(ImmediateEventExecutor.INSTANCE, true);
    }

    @Override
    public Future<Boolean> shutdown(long quietPeriod, long timeout, TimeUnit unit) {
      return new SucceededFuture<>(ImmediateEventExecutor.INSTANCE, true);
    }
  }

  private static final class NoEvents implements EventBus {
    @Override
    public Flux<Event> get() {
      return Flux.never();
    }

    @Override
    public void publish(Event event) {}
  }
}
