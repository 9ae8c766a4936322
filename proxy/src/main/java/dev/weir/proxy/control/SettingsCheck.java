package dev.weir.proxy.control;

import dev.weir.proxy.rule.BadValueException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.function.BiConsumer;
import java.util.function.Predicate;

/** Checks that settings go together, each being right by itself. */
final class SettingsCheck {
  private SettingsCheck() {}

  /**
   * Reports what does not go together.
   *
   * @param isFaulty whether a setting is already known to be wrong.
   */
  static void check(
      SettingsBuilder builder,
      Predicate<String> isFaulty,
      BiConsumer<String, BadValueException> sink) {
    if (!isFaulty.test("caps.target-bytes")
        && !isFaulty.test("caps.head-bytes")
        && builder.targetBytes > builder.headBytes) {
      sink.accept(
          "caps.target-bytes",
          new BadValueException(
              builder.targetBytes + "B", "at most caps.head-bytes, " + builder.headBytes + "B"));
    }
    builder.store.check(
        (name, bad) -> {
          if (!isFaulty.test(name)) {
            sink.accept(name, bad);
          }
        });
    SocketAddress listen = builder.listen;
    if (listen.equals(builder.upstream) && !isFaulty.test("upstream")) {
      sink.accept("upstream", new BadValueException(text(listen), "another address than listen"));
    }
    boolean anyFree = listen instanceof InetSocketAddress inet && inet.getPort() == 0;
    if (listen.equals(builder.admin) && !anyFree && !isFaulty.test("admin")) {
      sink.accept("admin", new BadValueException(text(listen), "another address than listen"));
    } else if (!isLocal(builder.admin) && !isFaulty.test("admin")) {
      sink.accept(
          "admin",
          new BadValueException(
              text(builder.admin),
              "a loopback address or a Unix-domain socket, for there is no authentication yet"));
    }
  }

  /** Whether only this machine reaches it; of names, only localhost surely is. */
  private static boolean isLocal(SocketAddress address) {
    if (!(address instanceof InetSocketAddress inet)) {
      return true;
    }
    return inet.isUnresolved()
        ? inet.getHostString().equalsIgnoreCase("localhost")
        : inet.getAddress().isLoopbackAddress();
  }

  private static String text(SocketAddress address) {
    return address instanceof InetSocketAddress inet
        ? inet.getHostString() + ":" + inet.getPort()
        : "unix:" + address;
  }
}
