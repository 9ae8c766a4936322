package dev.weir.proxy;

import io.netty.bootstrap.ChannelInitializerExtension;
import io.netty.channel.Channel;
import java.util.function.Consumer;

/**
 * Gives tests the channels that a sidecar makes, before anything is written to them. Found by Netty
 * as a service; the build asks for that in {@code io.netty.bootstrap.extensions}.
 */
public final class ChannelTap extends ChannelInitializerExtension {
  private static final Consumer<Channel> NOBODY = channel -> {};
  private static volatile Consumer<Channel> clients = NOBODY;
  private static volatile Consumer<Channel> services = NOBODY;

  /** Hands over each connection of a client that is accepted from now on. */
  static void onClient(Consumer<Channel> taker) {
    clients = taker;
  }

  /** Hands over each connection to a service that is made from now on. */
  static void onService(Consumer<Channel> taker) {
    services = taker;
  }

  static void close() {
    clients = NOBODY;
    services = NOBODY;
  }

  @Override
  public void postInitializeServerChildChannel(Channel channel) {
    clients.accept(channel);
  }

  @Override
  public void postInitializeClientChannel(Channel channel) {
    services.accept(channel);
  }
}
