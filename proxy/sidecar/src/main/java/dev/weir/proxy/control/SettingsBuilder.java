package dev.weir.proxy.control;

import dev.weir.proxy.admission.AdmissionSettings;
import dev.weir.proxy.admission.StoreNames;
import dev.weir.proxy.downstream.ClientCaps;
import dev.weir.proxy.downstream.ClientSettings;
import dev.weir.proxy.downstream.ClientTimeouts;
import dev.weir.proxy.downstream.answer.AnswerSettings;
import dev.weir.proxy.loop.TransportKind;
import dev.weir.proxy.rule.identity.Cidr;
import dev.weir.proxy.rule.identity.CidrSet;
import dev.weir.proxy.rule.identity.ClientIpField;
import dev.weir.proxy.rule.identity.IdentitySettings;
import dev.weir.proxy.rule.spec.BadValueException;
import dev.weir.proxy.rule.spec.RuleSpec;
import dev.weir.proxy.upstream.UpstreamCaps;
import dev.weir.proxy.upstream.UpstreamProtocol;
import dev.weir.proxy.upstream.UpstreamSettings;
import dev.weir.proxy.upstream.UpstreamTimeouts;
import java.net.SocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Settings on their way from texts to records. What the texts are, and which stand where none is
 * given, say the rows of {@link SettingsTable}; their readers set the fields here. Files and flags
 * both go through it, so that they accept the same texts.
 */
final class SettingsBuilder {
  private static final Map<String, SettingRow<SettingsBuilder>> ROWS =
      SettingRow.byName(SettingsTable.ALL);

  SocketAddress upstream;
  UpstreamProtocol upstreamProtocol;
  final UpstreamTlsTable upstreamTls = new UpstreamTlsTable();
  String service = "";
  final List<ListenerTable> listeners = new ArrayList<>();
  final DecisionTable decision = new DecisionTable();
  final TlsSettingsTable tls = new TlsSettingsTable();
  SocketAddress admin;
  final List<String> adminHosts = new ArrayList<>();
  SocketAddress monitoring;
  int eventLoops = Runtime.getRuntime().availableProcessors();
  TransportKind transport;
  Path latencyLog;
  long latencyLogIntervalNs;
  final List<Cidr> trustedProxies = new ArrayList<>();
  ClientIpField clientIpField;
  int ipv6Prefix;
  boolean ignoreCase;
  long headNs;
  long bodyNs;
  long idleNs;
  long writeNs;
  long tunnelIdleNs;
  long connectNs;
  long responseNs;
  long upstreamIdleNs;
  long upstreamQueueNs;
  long drainGraceNs;
  long drainNs;
  int headBytes;
  int fields;
  int targetBytes;
  int connections;
  int connectionsPerAddress;
  int upstreamConnections;
  int upstreamStreams;
  int upstreamHttp2Connections;
  int upstreamQueue;
  boolean rateLimit;
  boolean xRateLimit;
  int tableKeys;
  int ringKeys;
  int ringCells;
  final StoreSettingsTable store = new StoreSettingsTable();

  /** Whether the listeners are those that stand where none is given. */
  private boolean listenersAreStandard;

  /** Starts from the defaults that the rows say. */
  SettingsBuilder() {
    for (SettingRow<SettingsBuilder> row : ROWS.values()) {
      if (row.standard() != null) {
        row.reader().accept(this, row.standard());
      }
    }
    listenersAreStandard = true;
  }

  /** Adds a listener; the first that is given takes the place of the default. */
  void addListener(ListenerTable listener) {
    if (listenersAreStandard) {
      listeners.clear();
      listenersAreStandard = false;
    }
    listeners.add(listener);
  }

  /** Whether listeners were given, or are those that stand where none is. */
  boolean hasOwnListeners() {
    return !listenersAreStandard;
  }

  /** All addresses that are listened on for clients and programs. */
  List<ListenerTable> allListeners() {
    List<ListenerTable> all = new ArrayList<>(decision.listeners);
    if (upstream != null || hasOwnListeners() || all.isEmpty()) {
      all.addAll(0, listeners);
    }
    return all;
  }

  /** Whether a setting takes several texts, one by one. */
  static boolean isList(String name) {
    return ROWS.containsKey(name) && ROWS.get(name).kind().isList();
  }

  /** Whether a file may have a list of texts for a setting, which are then read one by one. */
  static boolean mayBeList(String name) {
    return ROWS.containsKey(name) && ROWS.get(name).kind().mayBeList();
  }

  /** The names of all settings that are a text or a list of texts. */
  static Set<String> names() {
    return ROWS.keySet();
  }

  /**
   * Reads one setting; of a list, one item.
   *
   * @throws BadValueException if the text is not one for it.
   */
  void set(String name, String text) {
    ROWS.get(name).reader().accept(this, text);
  }

  StoreNames storeNames() {
    return store.names(service);
  }

  AdmissionSettings admission() {
    return new AdmissionSettings(tableKeys, ringKeys, ringCells);
  }

  Settings build(List<RuleSpec> rules) {
    return new Settings(
        new UpstreamSettings(
            upstream,
            upstreamProtocol,
            upstreamTls.build(),
            new UpstreamTimeouts(connectNs, responseNs, upstreamIdleNs, upstreamQueueNs),
            new UpstreamCaps(
                upstreamConnections, upstreamStreams, upstreamHttp2Connections, upstreamQueue)),
        new ClientSettings(
            upstream == null
                ? List.of()
                : listeners.stream().map(listener -> listener.build(tls)).toList(),
            new ClientTimeouts(headNs, bodyNs, idleNs, writeNs, tunnelIdleNs),
            new ClientCaps(headBytes, fields, targetBytes, connections, connectionsPerAddress),
            new AnswerSettings(rateLimit, xRateLimit)),
        decision.build(tls),
        decision.rateLimits(),
        admission(),
        store.build(),
        storeNames(),
        new IdentitySettings(CidrSet.of(trustedProxies), clientIpField, ipv6Prefix),
        new ProcessSettings(
            admin,
            adminHosts,
            monitoring,
            eventLoops,
            transport,
            drainGraceNs,
            drainNs,
            latencyLog,
            latencyLogIntervalNs),
        new RuleSource(rules, ignoreCase));
  }
}
