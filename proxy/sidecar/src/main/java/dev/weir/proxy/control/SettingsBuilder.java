package dev.weir.proxy.control;

import dev.weir.proxy.admission.AdmissionSettings;
import dev.weir.proxy.downstream.ClientCaps;
import dev.weir.proxy.downstream.ClientSettings;
import dev.weir.proxy.downstream.ClientTimeouts;
import dev.weir.proxy.downstream.answer.AnswerSettings;
import dev.weir.proxy.loop.TransportKind;
import dev.weir.proxy.rule.identity.ClientIpField;
import dev.weir.proxy.rule.identity.IdentitySettings;
import dev.weir.proxy.rule.spec.Cidr;
import dev.weir.proxy.rule.spec.CidrSet;
import dev.weir.proxy.rule.spec.RuleSpec;
import dev.weir.proxy.rule.spec.UsersSpec;
import dev.weir.proxy.upstream.UpstreamCaps;
import dev.weir.proxy.upstream.UpstreamProtocol;
import dev.weir.proxy.upstream.UpstreamSettings;
import dev.weir.proxy.upstream.UpstreamTimeouts;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Settings on their way from texts to records. What the texts are, and which stand where none is
 * given, say the rows of {@link SettingsTable}. Files and flags both go through it, so that they
 * accept the same texts.
 */
final class SettingsBuilder {
  private static final Map<String, SettingRow<SettingValues>> ROWS =
      SettingRow.byName(SettingsTable.ALL);

  final SettingValues values = new SettingValues(ROWS.values());

  /** The row of a setting that is a text or a list of texts; null if there is none of the name. */
  static SettingRow<SettingValues> row(String name) {
    return ROWS.get(name);
  }

  /** Null if there is no service. */
  SocketAddress upstream() {
    return values.get("upstream", SocketAddress.class);
  }

  UpstreamProtocol upstreamProtocol() {
    return values.get(SettingsTable.UPSTREAM_PROTOCOL, UpstreamProtocol.class);
  }

  List<ListenerTable> listeners() {
    return values.list("listen", ListenerTable.class);
  }

  /** The listener of the admin port; null for none. */
  ListenerTable admin() {
    return values.get("admin", ListenerTable.class);
  }

  /** All addresses that are listened on for clients and programs. */
  List<ListenerTable> allListeners() {
    List<ListenerTable> all = new ArrayList<>(DecisionTable.listeners(values));
    if (upstream() != null || values.isGiven("listen") || all.isEmpty()) {
      all.addAll(0, listeners());
    }
    return all;
  }

  AdmissionSettings admission() {
    return new AdmissionSettings(
        values.count("table.keys"),
        values.count("table.ring-keys"),
        values.count("table.ring-cells"));
  }

  Settings build(List<RuleSpec> rules, RuleSpec everywhere, UsersSpec users) {
    return new Settings(
        new UpstreamSettings(
            upstream(),
            upstreamProtocol(),
            UpstreamTlsTable.build(values),
            new UpstreamTimeouts(
                values.ns("timeouts.connect"),
                values.ns("timeouts.response"),
                values.ns("timeouts.upstream-idle"),
                values.ns("timeouts.upstream-queue")),
            new UpstreamCaps(
                values.count("caps.upstream-connections"),
                values.count("caps.upstream-streams"),
                values.count("caps.upstream-http2-connections"),
                values.count("caps.upstream-queue"))),
        new ClientSettings(
            upstream() == null ? List.of() : ListenerTable.build(listeners(), values),
            new ClientTimeouts(
                values.ns("timeouts.head"),
                values.ns("timeouts.body"),
                values.ns("timeouts.idle"),
                values.ns("timeouts.write"),
                values.ns("timeouts.tunnel-idle")),
            new ClientCaps(
                values.count("caps.head-bytes"),
                values.count("caps.fields"),
                values.count("caps.target-bytes"),
                values.count("caps.connections"),
                values.count("caps.connections-per-address")),
            new AnswerSettings(
                values.isOn("answers.rate-limit"), values.isOn("answers.x-rate-limit"))),
        DecisionTable.build(values),
        DecisionTable.rateLimits(values),
        admission(),
        StoreSettingsTable.build(values),
        StoreSettingsTable.names(values),
        new IdentitySettings(
            CidrSet.of(values.list("trusted-proxies", Cidr.class)),
            values.get("client-ip-header", ClientIpField.class),
            values.count("ipv6-prefix")),
        TokenTable.build(values),
        WhatIfSettings.build(values),
        RecordSettings.build(values),
        process(),
        rules(rules, everywhere, users));
  }

  RuleSource rules(List<RuleSpec> rules, RuleSpec everywhere, UsersSpec users) {
    return new RuleSource(
        rules,
        everywhere,
        users,
        values.isOn("paths.ignore-case"),
        new ListSettings(values.addresses("lists.allow"), values.addresses("lists.block")));
  }

  private ProcessSettings process() {
    return new ProcessSettings(
        admin() == null ? null : ListenerTable.build(List.of(admin()), values).get(0),
        values.list("admin-hosts", String.class),
        values.file("admin-tokens"),
        values.get("monitoring", SocketAddress.class),
        values.isGiven("event-loops")
            ? values.count("event-loops")
            : Runtime.getRuntime().availableProcessors(),
        values.get("transport", TransportKind.class),
        values.ns("timeouts.drain-grace"),
        values.ns("timeouts.drain"),
        values.file("latency-log"),
        values.ns("latency-log-interval"));
  }
}
