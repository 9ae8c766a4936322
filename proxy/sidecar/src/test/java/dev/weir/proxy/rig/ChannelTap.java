package dev.weir.proxy.rig;

import dev.weir.proxy.loop.InboundHandler;
import dev.weir.proxy.loop.ListeningSocket;
import dev.weir.proxy.wiring.Sidecar;
import io.netty.bootstrap.ChannelInitializerExtension;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import java.lang.reflect.Field;
import java.util.List;
import java.util.function.Consumer;

/**
 * Gives tests the channels that a sidecar makes, before anything is written to them. Those to a
 * service Netty tells of, which finds this by its own means of extension; the build asks for that
 * in {@code io.netty.bootstrap.extensions}.
 */
public final class ChannelTap extends ChannelInitializerExtension {
  private static final Consumer<Channel> NOBODY = channel -> {};
  private static volatile Consumer<Channel> clients = NOBODY;
  private static volatile Consumer<Channel> services = NOBODY;

  /** Hands over each connection of a client that is accepted from now on. */
  public static void onClient(Consumer<Channel> taker) {
    clients = taker;
  }

  /** Hands over each connection to a service that is made from now on. */
  public static void onService(Consumer<Channel> taker) {
    services = taker;
  }

  public static void close() {
    clients = NOBODY;
    services = NOBODY;
  }

  /** Has a sidecar tell of the connections of clients that it accepts. */
  public static void join(Sidecar sidecar) {
    for (Object socket : (List<?>) field(field(sidecar, "listeners"), "sockets")) {
      Channel listening = ((ListeningSocket) socket).channel();
      // By its event loop, as the handler would else be passed over for a moment.
      listening
          .eventLoop()
          .submit(() -> listening.pipeline().addFirst(new Accepted()))
          .syncUninterruptibly();
    }
  }

  /** A private field of an object that nobody but a test looks into. */
  static Object field(Object owner, String name) {
    try {
      Field field = owner.getClass().getDeclaredField(name);
      field.setAccessible(true);
      return field.get(owner);
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(e);
    }
  }

  private static final class Accepted extends InboundHandler {
    @Override
    public void channelRead(ChannelHandlerContext context, Object accepted) {
      clients.accept((Channel) accepted);
      context.fireChannelRead(accepted);
    }
  }

  @Override
  public void postInitializeClientChannel(Channel channel) {
    services.accept(channel);
  }
}
