package dev.weir.proxy.control;

import dev.weir.proxy.loop.Addresses;
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
    SettingValues values = builder.values;
    int headBytes = values.count("caps.head-bytes");
    int targetBytes = values.count("caps.target-bytes");
    if (!misfits.isFaulty("caps.head-bytes") && targetBytes > headBytes) {
      misfits.add(
          "caps.target-bytes", targetBytes + "B", "at most caps.head-bytes, " + headBytes + "B");
    }
    StoreSettingsTable.check(values, misfits);
    RecordSettings.check(values, misfits);
    SocketAddress admin = builder.admin() == null ? null : builder.admin().address();
    SocketAddress monitoring = values.get("monitoring", SocketAddress.class);
    checkListeners(builder, admin, monitoring, misfits);
    DecisionTable.check(values, misfits);
    TokenTable.check(values, misfits);
    if (builder.upstream() == null
        && !misfits.isFaulty("upstream")
        && !DecisionTable.listeners(values).isEmpty()
        && values.isGiven("listen")) {
      misfits.add("listen", builder.listeners().get(0).text(), "upstream too, or decision alone");
    }
    if (!misfits.isFaulty("upstream")) {
      boolean isTls = builder.upstreamProtocol() == UpstreamProtocol.HTTPS;
      UpstreamTlsTable.check(values, isTls, misfits);
    }
    if (!isLocal(admin) && !values.isGiven("admin-tokens")) {
      misfits.add(
          "admin",
          Addresses.text(admin),
          "a loopback address or a Unix-domain socket, for there are no admin-tokens");
    }
    if (monitoring != null && monitoring.equals(admin)) {
      misfits.add("monitoring", Addresses.text(monitoring), "another than admin");
    }
  }

  private static void checkListeners(
      SettingsBuilder builder, SocketAddress admin, SocketAddress monitoring, Misfits misfits) {
    SettingValues values = builder.values;
    ListenerTable adminPort = builder.admin();
    boolean isTlsUsed = adminPort != null && adminPort.usesCommonTls();
    if (isTlsUsed && !misfits.isFaulty("tls")) {
      TlsSettingsTable.check(values, "", adminPort.text(), misfits);
    }
    List<SocketAddress> others = new ArrayList<>();
    for (ListenerTable listener : builder.allListeners()) {
      if (misfits.isFaulty(listener.path()) || listener.address() == null) {
        continue;
      }
      SocketAddress address = listener.address();
      if (others.stream().anyMatch(listener::clashesWith)) {
        misfits.add(listener.path(), Addresses.text(address), "each address only once");
      }
      others.add(address);
      if (address.equals(builder.upstream())) {
        misfits.add("upstream", Addresses.text(address), "another address than listen");
      }
      if (listener.clashesWith(admin)) {
        misfits.add("admin", Addresses.text(address), "another address than listen");
      }
      if (listener.clashesWith(monitoring)) {
        misfits.add("monitoring", Addresses.text(address), "another address than listen");
      }
      if (listener.usesCommonTls() && !isTlsUsed && !misfits.isFaulty("tls")) {
        isTlsUsed = true;
        TlsSettingsTable.check(values, "", listener.text(), misfits);
      }
      listener.checkOwnTls(misfits);
      if (listener.proxyProtocol() && !values.isGiven("trusted-proxies")) {
        misfits.add(
            listener.path() + ".proxy-protocol",
            "true",
            "trusted-proxies, whose headers are believed");
      }
    }
    boolean hasTls = !values.hasNoneOf(TlsSettingsTable.PREFIX);
    if (hasTls && !isTlsUsed && !misfits.isFaulty("listen")) {
      misfits.add("tls", "no listener for it", "listen or admin: https://host:port");
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
}
