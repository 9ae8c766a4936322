package dev.weir.proxy.control;

import static dev.weir.proxy.control.SettingKind.ADDRESS;
import static dev.weir.proxy.control.SettingKind.SWITCH;

import dev.weir.proxy.downstream.ListenerSettings;
import dev.weir.proxy.rule.spec.BadValueException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * One listener on its way from text to a record: {@code host:port}, {@code https://host:port} or
 * {@code unix:/path}, or in a file a section with more. {@code https://} has the settings below
 * {@code tls}, unless the section has a {@code tls} of its own.
 */
final class ListenerTable {
  /** The settings of a section, a row each. */
  static final List<SettingRow<ListenerTable>> ALL = all();

  private static final String HTTP = "http://";
  private static final String HTTPS = "https://";
  static final String EXPECTED = "host:port, https://host:port or unix:/path";

  /** Stands for the address that programs ask at where none is said. */
  static final String ON = "on";

  private final String path;
  private final TlsSettingsTable tls = new TlsSettingsTable();
  private String text = "";
  private SocketAddress address;
  private boolean isHttps;
  private boolean proxyProtocol;

  /**
   * @param path where it stands in a file, such as {@code listen[1]}.
   */
  private ListenerTable(String path) {
    this.path = path;
  }

  private static List<SettingRow<ListenerTable>> all() {
    List<SettingRow<ListenerTable>> rows = new ArrayList<>();
    rows.add(SettingRow.of("address", ADDRESS, null, "", ListenerTable::parse));
    rows.add(
        SettingRow.of(
            "proxy-protocol",
            SWITCH,
            "false",
            "",
            (listener, text) -> listener.proxyProtocol = Texts.parseBoolean(text)));
    TlsSettingsTable.ALL.forEach(row -> rows.add(row.within(listener -> listener.tls)));
    return List.copyOf(rows);
  }

  /** A listener that is an address and nothing more. */
  static ListenerTable of(String path, String text) {
    ListenerTable listener = new ListenerTable(path);
    listener.parse(text);
    return listener;
  }

  private void parse(String listener) {
    text = listener;
    if (listener.equals(ON) && path.startsWith("decision")) {
      address = AddressText.parseListen(DecisionTable.ADDRESS);
      return;
    }
    isHttps = listener.startsWith(HTTPS);
    String bare =
        isHttps
            ? listener.substring(HTTPS.length())
            : listener.startsWith(HTTP) ? listener.substring(HTTP.length()) : listener;
    if (bare.length() < listener.length() && bare.startsWith("unix:")) {
      throw new BadValueException(listener, EXPECTED);
    }
    try {
      address = AddressText.parseListen(bare);
    } catch (BadValueException bad) {
      boolean isSame = bad.expected().equals(AddressText.EXPECTED_LISTEN);
      throw new BadValueException(listener, isSame ? EXPECTED : bad.expected());
    }
  }

  /** Whether a setting is one or more listeners. */
  static boolean isOne(String name) {
    return name.equals("listen") || name.equals("decision");
  }

  /** Reads the listeners of a file, each a text or a section, in the order of the file. */
  static void read(String name, YamlTree tree, Faults faults, Consumer<ListenerTable> to) {
    YamlValue listeners = tree.at(name);
    if (!listeners.isList()) {
      readText(name, tree, faults, to);
      return;
    }
    for (int i = 0; i < listeners.items().size(); i++) {
      String path = name + "[" + i + "]";
      if (listeners.items().get(i).isSection()) {
        to.accept(section(path, tree, faults));
      } else {
        readText(path, tree, faults, to);
      }
    }
  }

  private static void readText(
      String path, YamlTree tree, Faults faults, Consumer<ListenerTable> to) {
    String text = tree.texts().get(path);
    if (text != null) {
      attempt(path, tree, faults, () -> to.accept(of(path, text)));
    }
  }

  private static ListenerTable section(String path, YamlTree tree, Faults faults) {
    ListenerTable listener = new ListenerTable(path);
    for (SettingRow<ListenerTable> row : ALL) {
      String at = path + "." + row.name();
      if (tree.texts().containsKey(at)) {
        readOne(listener, row, at, tree, faults);
      }
      for (int i = 0; tree.texts().containsKey(at + "[" + i + "]"); i++) {
        readOne(listener, row, at + "[" + i + "]", tree, faults);
      }
    }
    return listener;
  }

  private static void readOne(
      ListenerTable listener,
      SettingRow<ListenerTable> row,
      String at,
      YamlTree tree,
      Faults faults) {
    attempt(at, tree, faults, () -> row.reader().accept(listener, tree.texts().get(at)));
  }

  private static void attempt(String path, YamlTree tree, Faults faults, Runnable read) {
    try {
      read.run();
    } catch (BadValueException bad) {
      faults.add(tree.line(path), path, bad);
    }
  }

  /** The listener's path in a file; {@code listen} for a flag. */
  String path() {
    return path;
  }

  /** The listener as the user wrote it. */
  String text() {
    return text;
  }

  /** Null if it could not be read. */
  SocketAddress address() {
    return address;
  }

  /** Whether what listens there and here would be in each other's way. */
  boolean clashesWith(SocketAddress other) {
    boolean anyFree = address instanceof InetSocketAddress inet && inet.getPort() == 0;
    return address != null && address.equals(other) && !anyFree;
  }

  boolean proxyProtocol() {
    return proxyProtocol;
  }

  /** Whether it speaks TLS by what is set for all such listeners. */
  boolean usesCommonTls() {
    return isHttps && tls.isEmpty();
  }

  /** Reports what of its own TLS does not go together. */
  void checkOwnTls(Misfits misfits) {
    if (!tls.isEmpty()) {
      tls.check(path + ".", text, misfits);
    }
  }

  /** The settings, once they have been checked. */
  ListenerSettings build(TlsSettingsTable common) {
    boolean isPlain = !isHttps && tls.isEmpty();
    return new ListenerSettings(
        address, isPlain ? null : usesCommonTls() ? common.build() : tls.build(), proxyProtocol);
  }
}
