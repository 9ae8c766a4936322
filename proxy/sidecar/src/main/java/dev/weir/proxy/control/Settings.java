package dev.weir.proxy.control;

import dev.weir.proxy.admission.AdmissionSettings;
import dev.weir.proxy.admission.StoreNames;
import dev.weir.proxy.decision.DecisionSettings;
import dev.weir.proxy.downstream.ClientSettings;
import dev.weir.proxy.rule.identity.IdentitySettings;
import dev.weir.proxy.rule.spec.UsersSpec;
import dev.weir.proxy.store.map.StoreSettings;
import dev.weir.proxy.token.TokenSettings;
import dev.weir.proxy.upstream.UpstreamSettings;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * Everything that can be set, from a file or from flags. Whoever holds one holds no fault.
 *
 * @param records null if nothing is kept in records.
 */
public record Settings(
    UpstreamSettings upstream,
    ClientSettings client,
    DecisionSettings decision,
    RateLimitSettings rateLimits,
    AdmissionSettings admission,
    StoreSettings store,
    StoreNames names,
    IdentitySettings identity,
    TokenSettings tokens,
    WhatIfSettings whatIf,
    RecordSettings records,
    ProcessSettings process,
    RuleSource rules) {

  /** How long the rings of the limits that keep one are, a power of two; 0 if there are none. */
  public int ringCells() {
    return admission.ringCells(rules.ringCells());
  }

  /**
   * The same, with no more connections of clients than there are descriptors for: one that is
   * proxied may need a connection to the service too, and as many programs may ask.
   */
  public Settings within(long openFiles) {
    int descriptorsPerClient = (isProxying() ? 2 : 0) + (decision.isConfigured() ? 1 : 0);
    return new Settings(
        upstream,
        client.with(client.caps().within(openFiles, Math.max(1, descriptorsPerClient))),
        decision,
        rateLimits,
        admission,
        store,
        names,
        identity,
        tokens,
        whatIf,
        records,
        process,
        rules);
  }

  /** The name under which users are kept in the record store: that of the service by default. */
  public String directory() {
    UsersSpec users = rules.users();
    return users == null || users.directory() == null ? names.service() : users.directory();
  }

  /** Whether there is a service behind; else nobody is proxied, and programs ask. */
  public boolean isProxying() {
    return upstream.address() != null;
  }

  /** The parts in which another differs that take effect at the next start only. */
  public List<String> differencesUntilRestart(Settings other) {
    List<String> parts = new ArrayList<>();
    addIfChanged(
        parts,
        "upstream",
        Arrays.asList(upstream.address(), upstream.protocol(), upstream.tls()),
        Arrays.asList(other.upstream.address(), other.upstream.protocol(), other.upstream.tls()));
    addIfChanged(parts, "listen", client.listeners(), other.client.listeners());
    addIfChanged(parts, "decision", decision, other.decision);
    addIfChanged(parts, "ratelimit-config", rateLimits, other.rateLimits);
    addIfChanged(parts, "jwt", tokens, other.tokens);
    addIfChanged(parts, "what-if", whatIf, other.whatIf);
    addIfChanged(parts, "admin", process.admin(), other.process.admin());
    addIfChanged(parts, "admin-hosts", process.adminHosts(), other.process.adminHosts());
    addIfChanged(parts, "admin-tokens", process.adminTokens(), other.process.adminTokens());
    addIfChanged(parts, "monitoring", process.monitoring(), other.process.monitoring());
    addIfChanged(parts, "event-loops", process.eventLoopCount(), other.process.eventLoopCount());
    addIfChanged(parts, "transport", process.transport(), other.process.transport());
    addIfChanged(parts, "latency-log", process.latencyLog(), other.process.latencyLog());
    addIfChanged(
        parts,
        "latency-log-interval",
        process.latencyLogIntervalNs(),
        other.process.latencyLogIntervalNs());
    addIfChanged(parts, "timeouts", timeouts(), other.timeouts());
    addIfChanged(parts, "caps", caps(), other.caps());
    addIfChanged(parts, "answers", client.answers(), other.client.answers());
    addIfChanged(parts, "table", admission, other.admission);
    addIfChanged(parts, "service", names.service(), other.names.service());
    addIfChanged(parts, "redis", redis(), other.redis());
    addIfChanged(parts, "records", records, other.records);
    if (records != null) {
      addIfChanged(parts, "users.directory", directory(), other.directory());
    }
    addIfChanged(
        parts, "trusted-proxies", identity.trustedProxies(), other.identity.trustedProxies());
    addIfChanged(
        parts, "client-ip-header", identity.clientIpField(), other.identity.clientIpField());
    addIfChanged(parts, "files of lists", rules.lists().files(), other.rules.lists().files());
    addIfChanged(parts, "ipv6-prefix", identity.ipv6Prefix(), other.identity.ipv6Prefix());
    return parts;
  }

  private List<Object> timeouts() {
    return List.of(
        client.timeouts(), upstream.timeouts(), process.drainGraceNs(), process.drainTimeoutNs());
  }

  private List<Object> redis() {
    return List.of(store, names.hashesAll(), names.hashed(), names.hashKey());
  }

  private List<Object> caps() {
    return List.of(client.caps(), upstream.caps());
  }

  private static void addIfChanged(List<String> parts, String name, Object mine, Object theirs) {
    if (!Objects.equals(mine, theirs)) {
      parts.add(name);
    }
  }
}
