package dev.weir.proxy.envoy.call;

import dev.weir.algorithms.SipHash;
import dev.weir.proxy.envoy.file.DescriptorNode;
import dev.weir.proxy.envoy.file.Domain;
import dev.weir.proxy.envoy.file.NodeLimit;
import dev.weir.proxy.envoy.file.RateLimitConfiguration;
import dev.weir.proxy.metrics.DescriptorCounters;
import dev.weir.proxy.metrics.DescriptorNames;
import dev.weir.proxy.metrics.LoopMetrics;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.agrona.DirectBuffer;
import org.agrona.collections.Long2ObjectHashMap;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The counters of each limit's hits, by domain and the key at each level in its file; or, if the
 * file says so or the call brings its limit, by the values in the call. Names from calls are
 * bounded: {@link DescriptorNames#MAX_COUNT} in the process, with at most {@link #MAX_LEVELS}
 * levels and {@link #MAX_BYTES} bytes each. Others are counted as {@link NodeLimit#OTHER} of their
 * domain. A name from calls is forgotten when its domain changes, or after an hour without use; any
 * other when no file has it any more. One per event loop; allocates only for a new name.
 */
final class LimitFigures {
  /** The longest name from calls, with four bytes for each of its levels. */
  static final int MAX_BYTES = 256;

  /** The most levels of a name from calls, each of which is a label. */
  static final int MAX_LEVELS = 16;

  private static final int TOO_LONG = -1;
  private static final int PATTERN = -1;

  /** A name from calls, and this event loop's counters for it. */
  private record Named(DescriptorNames.Name name, DescriptorCounters counters) {}

  private final LoopMetrics metrics;
  private final SipHash hash = new SipHash(0x6e61_6d65L, 0x7765_6972L);
  private final UnsafeBuffer name = new UnsafeBuffer(new byte[MAX_BYTES]);
  private final Long2ObjectHashMap<Named> byValues = new Long2ObjectHashMap<>();
  private final Map<String, DescriptorCounters> others = new HashMap<>();
  private DescriptorCounters[] byIndex = {};

  LimitFigures(LoopMetrics metrics) {
    this.metrics = metrics;
  }

  /**
   * Makes the counters of all limits of a configuration; those with the same names stay. Called by
   * one thread at a time, not necessarily the event loop.
   *
   * @param sameDomains domains that have not changed.
   * @return the task that the event loop has to run when it takes the configuration, in the same
   *     order.
   */
  Runnable prepare(RateLimitConfiguration next, Set<String> sameDomains) {
    List<List<String>> names = next.limits().stream().map(NodeLimit::names).toList();
    Map<List<String>, DescriptorCounters> made = metrics.limits(names);
    DescriptorCounters[] counters =
        names.stream().map(made::get).toArray(DescriptorCounters[]::new);
    metrics.descriptorNames().keepOnly(sameDomains::contains);
    return () -> {
      byIndex = counters;
      forgetGone();
      forgetOthers(sameDomains);
    };
  }

  private void forgetGone() {
    byValues.values().removeIf(named -> named.name().isGone());
  }

  /** Forgets the names from calls, and {@code other}, in domains that have changed. */
  private void forgetOthers(Set<String> sameDomains) {
    for (Iterator<String> each = others.keySet().iterator(); each.hasNext(); ) {
      String domain = each.next();
      if (!sameDomains.contains(domain)) {
        metrics.forgetUnnamed(List.of(domain, NodeLimit.OTHER));
        each.remove();
      }
    }
  }

  /** The counters of a limit in a file, by the path on which it was found. */
  DescriptorCounters of(
      NodeLimit limit, Domain domain, RateLimitCall call, int descriptor, DescriptorMatch match) {
    if (!limit.isNamedByValues()) {
      return byIndex[limit.index()];
    }
    if (match.depth() > MAX_LEVELS) {
      return others(domain);
    }
    int end = 0;
    int first = call.firstEntry(descriptor);
    for (int i = 0; i < match.depth() && end != TOO_LONG; i++) {
      DescriptorNode node = match.node(i);
      boolean isShared = node.sharesThreshold();
      boolean isNamed = limit.spec().hasDetailedMetric() || node.spec().isValueToMetric();
      int valueLength = isNamed && !isShared ? call.valueLength(first + i) : PATTERN;
      end = put(end, call, first + i, valueLength, node.value());
    }
    return named(domain, end);
  }

  /** The counters of a limit that a call brings: by its keys, without values. */
  DescriptorCounters ofCall(Domain domain, RateLimitCall call, int descriptor) {
    if (call.entryCount(descriptor) > MAX_LEVELS) {
      return others(domain);
    }
    int end = 0;
    int first = call.firstEntry(descriptor);
    for (int i = 0; i < call.entryCount(descriptor) && end != TOO_LONG; i++) {
      end = put(end, call, first + i, 0, null);
    }
    return named(domain, end);
  }

  /**
   * Appends a level's name with its length before it: the key, {@code _}, and the value.
   *
   * @return where it ends, or {@link #TOO_LONG}.
   */
  private int put(int at, RateLimitCall call, int entry, int valueLength, byte[] pattern) {
    DirectBuffer bytes = call.bytes();
    int secondLength = valueLength == PATTERN ? pattern.length : valueLength;
    int length = call.keyLength(entry) + (secondLength == 0 ? 0 : 1 + secondLength);
    if (length > MAX_BYTES - Integer.BYTES - at) {
      return TOO_LONG;
    }
    name.putInt(at, length, ByteOrder.BIG_ENDIAN);
    int end = at + Integer.BYTES;
    name.putBytes(end, bytes, call.keyAt(entry), call.keyLength(entry));
    if (secondLength > 0) {
      end += call.keyLength(entry);
      name.putByte(end++, (byte) '_');
      if (valueLength == PATTERN) {
        name.putBytes(end, pattern);
      } else {
        name.putBytes(end, bytes, call.valueAt(entry), valueLength);
      }
    }
    return at + Integer.BYTES + length;
  }

  private DescriptorCounters named(Domain domain, int end) {
    if (end == TOO_LONG) {
      return others(domain);
    }
    long key = hash.hash(name, 0, end) ^ domain.seed();
    Named known = byValues.get(key);
    if (known != null && !known.name().isGone()) {
      return known.counters();
    }
    DescriptorNames all = metrics.descriptorNames();
    DescriptorNames.Name name = all.find(key);
    if (name == null && all.hasRoom()) {
      name = all.add(key, names(domain, end));
    }
    if (name == null) {
      return others(domain);
    }
    if (byValues.size() >= DescriptorNames.MAX_COUNT) {
      forgetGone();
    }
    Named made = new Named(name, name.of(metrics));
    byValues.put(key, made);
    return made.counters();
  }

  private List<String> names(Domain domain, int end) {
    List<String> names = new ArrayList<>();
    names.add(domain.name());
    for (int at = 0; at < end; ) {
      int length = name.getInt(at, ByteOrder.BIG_ENDIAN);
      byte[] text = new byte[length];
      name.getBytes(at + Integer.BYTES, text);
      names.add(new String(text, StandardCharsets.UTF_8));
      at += Integer.BYTES + length;
    }
    return List.copyOf(names);
  }

  private DescriptorCounters others(Domain domain) {
    DescriptorCounters known = others.get(domain.name());
    if (known == null) {
      known = metrics.unnamed(List.of(domain.name(), NodeLimit.OTHER));
      others.put(domain.name(), known);
    }
    return known;
  }
}
