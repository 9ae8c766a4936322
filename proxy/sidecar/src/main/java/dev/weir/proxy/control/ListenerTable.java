package dev.weir.proxy.control;

import dev.weir.proxy.downstream.ListenerSettings;
import dev.weir.proxy.rule.spec.BadValueException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;

/**
 * One listener on its way from text to a record: {@code host:port}, {@code https://host:port} or
 * {@code unix:/path}, or in a file a section with more. {@code https://} has the settings below
 * {@code tls}, unless the section has a {@code tls} of its own.
 */
final class ListenerTable {
  /** The settings of a section beside the address. */
  private static final List<SettingRow<SettingValues>> OF_VALUES = ofValues();

  /** The settings of a section, a row each. */
  static final List<SettingRow<ListenerTable>> ALL = all();

  private static final String HTTP = "http://";
  private static final String HTTPS = "https://";
  static final String EXPECTED = "host:port, https://host:port or unix:/path";

  /** Stands for the address that programs ask at where none is said. */
  static final String ON = "on";

  private final String path;
  private final SettingValues values = new SettingValues(OF_VALUES);
  private String text = "";
  private SocketAddress address;
  private boolean isHttps;

  /**
   * @param path where it stands in a file, such as {@code listen[1]}.
   */
  private ListenerTable(String path) {
    this.path = path;
  }

  private static List<SettingRow<SettingValues>> ofValues() {
    List<SettingRow<SettingValues>> rows = new ArrayList<>();
    rows.add(SettingRow.toggle("proxy-protocol", ""));
    rows.addAll(TlsSettingsTable.ALL);
    return rows;
  }

  private static List<SettingRow<ListenerTable>> all() {
    List<SettingRow<ListenerTable>> rows = new ArrayList<>();
    rows.add(SettingRow.of("address", SettingKind.ADDRESS, null, "", ListenerTable::parse));
    OF_VALUES.forEach(row -> rows.add(row.within(listener -> listener.values)));
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

  /** Reads the listeners of a file, each a text or a section, in the order of the file. */
  static void read(String name, YamlTree tree, SettingValues to) {
    tree.read(name, text -> to.add(name, of(name, text)));
    List<YamlValue> items = tree.at(name).items();
    for (int i = 0; i < items.size(); i++) {
      String path = name + "[" + i + "]";
      if (items.get(i).isSection()) {
        ListenerTable listener = new ListenerTable(path);
        ALL.forEach(row -> row.read(tree, path + ".", listener));
        to.add(name, listener);
      } else {
        tree.read(path, text -> to.add(name, of(path, text)));
      }
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
    return values.isOn("proxy-protocol");
  }

  private boolean hasOwnTls() {
    return !values.hasNoneOf(TlsSettingsTable.PREFIX);
  }

  /** Whether it speaks TLS by what is set for all such listeners. */
  boolean usesCommonTls() {
    return isHttps && !hasOwnTls();
  }

  /** Reports what of its own TLS does not go together. */
  void checkOwnTls(Misfits misfits) {
    if (hasOwnTls()) {
      TlsSettingsTable.check(values, path + ".", text, misfits);
    }
  }

  /**
   * The settings of listeners, once they have been checked.
   *
   * @param common have those of TLS for listeners without settings of their own.
   */
  static List<ListenerSettings> build(List<ListenerTable> listeners, SettingValues common) {
    List<ListenerSettings> built = new ArrayList<>();
    for (ListenerTable listener : listeners) {
      boolean isPlain = !listener.isHttps && !listener.hasOwnTls();
      SettingValues tls = listener.usesCommonTls() ? common : listener.values;
      built.add(
          new ListenerSettings(
              listener.address,
              isPlain ? null : TlsSettingsTable.build(tls),
              listener.proxyProtocol()));
    }
    return built;
  }
}
