package dev.weir.proxy.rule;

import dev.weir.proxy.request.Ascii;
import dev.weir.proxy.rule.spec.HostName;
import dev.weir.proxy.rule.spec.HostPattern;
import dev.weir.proxy.rule.spec.SegmentLabel;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Finds the rule for a request: by its host, then by its path. Rules for its very host are tried
 * first, then those for hosts below another, the longest first, then those for every host.
 *
 * <p><b>Cost.</b> Nothing where no rule names a host. Else one look-up by hash for the host and one
 * for each of its ends that begins behind a dot and has no more labels than the longest pattern;
 * then a walk by path for each pattern that the host matches.
 */
final class HostMatcher {
  /** The rules of one pattern. */
  private static final class Host {
    private final HostPattern pattern;
    private final List<Rule> written = new ArrayList<>();
    private RuleMatcher rules;

    /** The longest other pattern that all of these hosts match; null if there is none. */
    private Host wider;

    Host(HostPattern pattern) {
      this.pattern = pattern;
    }
  }

  private final Host[] exact;
  private final Host[] suffixes;
  private final boolean hasHosts;
  private final int mostLabels;
  private final RuleMatcher anyHost;

  /**
   * @throws dev.weir.proxy.rule.spec.BadValueException if the rules of a host are too many to be
   *     told apart, or mix wildcards in too many ways.
   */
  HostMatcher(List<Rule> rules, boolean ignoreCase) {
    Map<HostPattern, Host> hosts = new LinkedHashMap<>();
    List<Rule> ofAny = new ArrayList<>();
    for (Rule rule : rules) {
      HostPattern pattern = rule.spec().match().host();
      (pattern == null ? ofAny : hosts.computeIfAbsent(pattern, Host::new).written).add(rule);
    }
    hasHosts = !hosts.isEmpty();
    anyHost = new RuleMatcher(ofAny, ignoreCase);
    exact = table(hosts.values().stream().filter(host -> !host.pattern.isSuffix()).toList());
    suffixes = table(hosts.values().stream().filter(host -> host.pattern.isSuffix()).toList());
    mostLabels =
        hosts.keySet().stream()
            .filter(HostPattern::isSuffix)
            .mapToInt(pattern -> labels(new UnsafeBuffer(pattern.name()), 0, pattern.name().length))
            .max()
            .orElse(0);
    for (Host host : hosts.values()) {
      host.rules = new RuleMatcher(host.written, ignoreCase);
      byte[] name = host.pattern.name();
      host.wider = longestSuffix(new UnsafeBuffer(name), 0, name.length);
    }
  }

  private static Host[] table(List<Host> hosts) {
    Host[] table = new Host[Math.max(2, Integer.highestOneBit(hosts.size()) * 4)];
    for (Host host : hosts) {
      byte[] name = host.pattern.name();
      table[slot(table, new UnsafeBuffer(name), 0, name.length)] = host;
    }
    return table;
  }

  /** The slot of a host; that where it would be if it is not there. */
  private static int slot(Host[] table, DirectBuffer bytes, int from, int to) {
    int hash = 0;
    for (int i = from; i < to; i++) {
      hash = hash * 31 + SegmentLabel.lowerCase(bytes.getByte(i));
    }
    int slot = (hash ^ hash >>> 16) * 0x9E37_79B1 >>> 1 & table.length - 1;
    while (table[slot] != null
        && !Ascii.equalsIgnoreCase(bytes, from, to - from, table[slot].pattern.name())) {
      slot = slot + 1 & table.length - 1;
    }
    return slot;
  }

  private static int labels(DirectBuffer bytes, int from, int to) {
    int count = 1;
    for (int i = from; i < to; i++) {
      count += bytes.getByte(i) == '.' ? 1 : 0;
    }
    return count;
  }

  /** The longest suffix below which a host is; null if there is none. */
  private Host longestSuffix(DirectBuffer bytes, int from, int to) {
    int left = mostLabels == 0 ? 0 : labels(bytes, from, to) - 1;
    for (int i = from; left > 0; i++) {
      if (bytes.getByte(i) == '.') {
        Host found = left > mostLabels ? null : suffixes[slot(suffixes, bytes, i + 1, to)];
        if (found != null) {
          return found;
        }
        left--;
      }
    }
    return null;
  }

  /** See {@link RuleSet#match}. */
  Rule match(MatchedRequest request) {
    for (Host host = hasHosts ? find(request.host()) : null; host != null; host = host.wider) {
      Rule found = host.rules.match(request);
      if (found != null) {
        return found;
      }
    }
    return anyHost.match(request);
  }

  private Host find(HostName host) {
    Host found = exact[slot(exact, host.bytes(), host.from(), host.to())];
    return found != null ? found : longestSuffix(host.bytes(), host.from(), host.to());
  }
}
