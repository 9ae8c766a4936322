package dev.weir.bench.load;

import dev.weir.bench.scenario.ClientSettings;
import dev.weir.bench.scenario.Protocol;
import dev.weir.bench.scenario.Target;
import dev.weir.proxy.http2.hpack.FieldBlock;
import dev.weir.proxy.loop.Transport;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import java.net.InetSocketAddress;

/** Opens connections to a target on one event loop. */
public class Connector {
  static final int TIMEOUT_MS = 5_000;

  private final EventLoop eventLoop;
  private final Transport transport;
  private final Target target;
  private final ClientSettings settings;
  private final InetSocketAddress address;
  private final Tls tls;
  private final FieldBlock answer = AnswerFields.newBlock();

  /**
   * @throws dev.weir.proxy.rule.spec.BadValueException if the certificates to trust are none.
   */
  public Connector(
      EventLoop eventLoop,
      Transport transport,
      Target target,
      ClientSettings settings,
      InetSocketAddress address) {
    this.eventLoop = eventLoop;
    this.transport = transport;
    this.target = target;
    this.settings = settings;
    this.address = address;
    tls = target.tls() ? tls(settings) : null;
  }

  public EventLoop eventLoop() {
    return eventLoop;
  }

  Target target() {
    return target;
  }

  /** Opens one; whether it came about is told to the sink. */
  public void connect(LoadSink sink) {
    bootstrap()
        .handler(
            new ChannelInitializer<Channel>() {
              @Override
              protected void initChannel(Channel channel) {
                if (tls != null) {
                  tls.secure(channel.pipeline(), target.host(), target.port(), sink);
                }
                channel.pipeline().addLast(connection(sink));
              }
            })
        .connect(address)
        .addListener(
            connected -> {
              if (!connected.isSuccess()) {
                sink.refused(connected.cause());
              }
            });
  }

  private Bootstrap bootstrap() {
    final Bootstrap bootstrap =
        new Bootstrap()
            .group(eventLoop)
            .channel(transport.clientChannel(address))
            .option(ChannelOption.TCP_NODELAY, true)
            .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, TIMEOUT_MS);
    // A port that is waited on for a minute after each connection soon is the last.
    return settings.requestsPerConnection() == ClientSettings.NO_END
        ? bootstrap
        : bootstrap.option(ChannelOption.SO_LINGER, 0);
  }

  private static Tls tls(ClientSettings settings) {
    return settings.protocol() == Protocol.HTTP1
        ? Tls.http1(settings.tls())
        : Tls.http2(settings.tls());
  }

  private ChannelHandler connection(LoadSink sink) {
    return switch (settings.protocol()) {
      case HTTP1 -> new Http1Connection(sink);
      case HTTP2 -> new Http2Connection(sink, settings.streams(), false, answer);
      case GRPC -> new Http2Connection(sink, settings.streams(), true, answer);
    };
  }
}
