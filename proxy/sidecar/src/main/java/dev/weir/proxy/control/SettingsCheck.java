package dev.weir.proxy.control;

import dev.weir.proxy.upstream.UpstreamProtocol;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;

/** Checks that settings go together, each being right by itself. */
final class SettingsCheck {
  private SettingsCheck() {}

  /** Reports what does not go together. */
  static void check(SettingsBuilder builder, Misfits misfits) {
    if (!misfits.isFaulty("caps.head-bytes") && builder.targetBytes > builder.headBytes) {
      misfits.add(
          "caps.target-bytes",
          builder.targetBytes + "B",
          "at most caps.head-bytes, " + builder.headBytes + "B");
    }
    builder.store.check(misfits);
    checkListeners(builder, misfits);
    builder.decision.check(misfits);
    if (builder.upstream == null
        && !misfits.isFaulty("upstream")
        && !builder.decision.listeners.isEmpty()
        && builder.hasOwnListeners()) {
      misfits.add("listen", builder.listeners.get(0).text(), "upstream too, or decision alone");
    }
    if (!misfits.isFaulty("upstream")) {
      builder.upstreamTls.check(builder.upstreamProtocol == UpstreamProtocol.HTTPS, misfits);
    }
    if (!isLocal(builder.admin)) {
      misfits.add(
          "admin",
          text(builder.admin),
          "a loopback address or a Unix-domain socket, for there is no authentication yet");
    }
    if (builder.monitoring != null && builder.monitoring.equals(builder.admin)) {
      misfits.add("monitoring", text(builder.monitoring), "another than admin");
    }
  }

  private static void checkListeners(SettingsBuilder builder, Misfits misfits) {
    boolean isTlsUsed = false;
    List<SocketAddress> others = new ArrayList<>();
    for (ListenerTable listener : builder.allListeners()) {
      if (misfits.isFaulty(listener.path()) || listener.address() == null) {
        continue;
      }
      SocketAddress address = listener.address();
      if (others.stream().anyMatch(listener::clashesWith)) {
        misfits.add(listener.path(), text(address), "each address only once");
      }
      others.add(address);
      if (address.equals(builder.upstream)) {
        misfits.add("upstream", text(address), "another address than listen");
      }
      if (listener.clashesWith(builder.admin)) {
        misfits.add("admin", text(address), "another address than listen");
      }
      if (listener.clashesWith(builder.monitoring)) {
        misfits.add("monitoring", text(address), "another address than listen");
      }
      if (listener.usesCommonTls() && !isTlsUsed && !misfits.isFaulty("tls")) {
        isTlsUsed = true;
        builder.tls.check("", listener.text(), misfits);
      }
      listener.checkOwnTls(misfits);
      if (listener.proxyProtocol() && builder.trustedProxies.isEmpty()) {
        misfits.add(
            listener.path() + ".proxy-protocol",
            "true",
            "trusted-proxies, whose headers are believed");
      }
    }
    if (!isTlsUsed && !builder.tls.isEmpty() && !misfits.isFaulty("listen")) {
      misfits.add("tls", "no listener for it", "listen: https://host:port");
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
