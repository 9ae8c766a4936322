package dev.weir.proxy.control;

import dev.weir.proxy.rule.spec.BadValueException;
import dev.weir.proxy.upstream.UpstreamProtocol;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
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
    checkListeners(builder, isFaulty, sink);
    builder.decision.check(
        (name, bad) -> {
          if (!isFaulty.test(name)) {
            sink.accept(name, bad);
          }
        });
    if (builder.upstream == null
        && !isFaulty.test("upstream")
        && !builder.decision.listeners.isEmpty()
        && builder.hasOwnListeners()
        && !isFaulty.test("listen")) {
      sink.accept(
          "listen",
          new BadValueException(
              builder.listeners.get(0).text(), "upstream too, or decision alone"));
    }
    if (!isFaulty.test("upstream")) {
      builder.upstreamTls.check(builder.upstreamProtocol == UpstreamProtocol.HTTPS, sink);
    }
    if (!isLocal(builder.admin) && !isFaulty.test("admin")) {
      sink.accept(
          "admin",
          new BadValueException(
              text(builder.admin),
              "a loopback address or a Unix-domain socket, for there is no authentication yet"));
    }
    if (builder.monitoring != null
        && builder.monitoring.equals(builder.admin)
        && !isFaulty.test("monitoring")) {
      sink.accept(
          "monitoring", new BadValueException(text(builder.monitoring), "another than admin"));
    }
  }

  private static void checkListeners(
      SettingsBuilder builder,
      Predicate<String> isFaulty,
      BiConsumer<String, BadValueException> sink) {
    boolean isTlsUsed = false;
    List<SocketAddress> others = new ArrayList<>();
    for (ListenerTable listener : builder.allListeners()) {
      if (isFaulty.test(listener.path()) || listener.address() == null) {
        continue;
      }
      SocketAddress address = listener.address();
      if (others.stream().anyMatch(listener::clashesWith)) {
        sink.accept(
            listener.path(), new BadValueException(text(address), "each address only once"));
      }
      others.add(address);
      if (address.equals(builder.upstream) && !isFaulty.test("upstream")) {
        sink.accept(
            "upstream", new BadValueException(text(address), "another address than listen"));
      }
      if (listener.clashesWith(builder.admin) && !isFaulty.test("admin")) {
        sink.accept("admin", new BadValueException(text(address), "another address than listen"));
      }
      if (listener.clashesWith(builder.monitoring) && !isFaulty.test("monitoring")) {
        sink.accept(
            "monitoring", new BadValueException(text(address), "another address than listen"));
      }
      if (listener.usesCommonTls() && !isTlsUsed && !isFaulty.test("tls")) {
        isTlsUsed = true;
        builder.tls.check(listener.text(), sink);
      }
      listener.checkOwnTls(sink);
      if (listener.proxyProtocol() && builder.trustedProxies.isEmpty()) {
        sink.accept(
            listener.path() + ".proxy-protocol",
            new BadValueException("true", "trusted-proxies, whose headers are believed"));
      }
    }
    if (!isTlsUsed && !builder.tls.isEmpty() && !isFaulty.test("listen")) {
      sink.accept("tls", new BadValueException("no listener for it", "listen: https://host:port"));
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
