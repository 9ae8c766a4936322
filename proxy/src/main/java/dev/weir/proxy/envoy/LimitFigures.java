package dev.weir.proxy.envoy;

import dev.weir.algorithms.SipHash;
import dev.weir.proxy.metrics.DescriptorCounters;
import dev.weir.proxy.metrics.LoopMetrics;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.agrona.DirectBuffer;
import org.agrona.ExpandableArrayBuffer;
import org.agrona.collections.Long2ObjectHashMap;

/**
 * Where the hits of each limit are counted: under the domain and what its file has at each level,
 * or, where the file says so, under what requests have there. Of those there are {@link
 * #MAX_NAMED_BY_VALUES} at most; what comes later, or is longer than names of the field are, is
 * counted as {@code other}. One per event loop; allocates for a name that is new, and for nothing
 * else.
 */
final class LimitFigures {
  /** Names that requests can make. */
  static final int MAX_NAMED_BY_VALUES = 1_000;

  /** The longest of them, with four bytes for each of its levels. */
  static final int MAX_NAMED_BY_VALUES_BYTES = 1_024;

  private static final int PATTERN = -1;

  private final LoopMetrics metrics;
  private final SipHash hash = new SipHash(0x6e61_6d65L, 0x7765_6972L);
  private final ExpandableArrayBuffer name = new ExpandableArrayBuffer(256);
  private final Long2ObjectHashMap<DescriptorCounters> byValues = new Long2ObjectHashMap<>();
  private final Map<String, DescriptorCounters> others = new HashMap<>();
  private DescriptorCounters[] byIndex = {};

  LimitFigures(LoopMetrics metrics) {
    this.metrics = metrics;
  }

  /** Makes the counters of all limits of a configuration: those of the same names stay. */
  void publish(RateLimitConfiguration configuration) {
    DescriptorCounters[] counters = new DescriptorCounters[configuration.limits().size()];
    for (NodeLimit limit : configuration.limits()) {
      counters[limit.index()] = metrics.descriptor(List.of(limit.names()));
    }
    byIndex = counters;
  }

  /** The counters of a limit of a file, by the way on which it was found. */
  DescriptorCounters of(
      NodeLimit limit, Domain domain, RateLimitCall call, int descriptor, DescriptorMatch match) {
    if (!limit.isNamedByValues()) {
      return byIndex[limit.index()];
    }
    int end = 0;
    int first = call.firstEntry(descriptor);
    for (int i = 0; i < match.depth(); i++) {
      DescriptorNode node = match.node(i);
      boolean isShared = node.sharesThreshold();
      boolean isNamed = limit.spec().hasDetailedMetric() || node.spec().isValueToMetric();
      int valueLength = isNamed && !isShared ? call.valueLength(first + i) : PATTERN;
      end = put(end, call, first + i, valueLength, node.value());
    }
    return named(domain, end);
  }

  /** The counters of a limit that a call brings along: by its keys, without values. */
  DescriptorCounters ofCall(Domain domain, RateLimitCall call, int descriptor) {
    int end = 0;
    int first = call.firstEntry(descriptor);
    for (int i = 0; i < call.entryCount(descriptor); i++) {
      end = put(end, call, first + i, 0, null);
    }
    return named(domain, end);
  }

  /** Adds a level's name with its length before it: the key, and behind {@code _} a value. */
  private int put(int at, RateLimitCall call, int entry, int valueLength, byte[] pattern) {
    DirectBuffer bytes = call.bytes();
    int end = at + Integer.BYTES;
    name.putBytes(end, bytes, call.keyAt(entry), call.keyLength(entry));
    end += call.keyLength(entry);
    if (valueLength == PATTERN) {
      if (pattern.length > 0) {
        name.putByte(end++, (byte) '_');
        name.putBytes(end, pattern);
        end += pattern.length;
      }
    } else if (valueLength > 0) {
      name.putByte(end++, (byte) '_');
      name.putBytes(end, bytes, call.valueAt(entry), valueLength);
      end += valueLength;
    }
    name.putInt(at, end - at - Integer.BYTES, ByteOrder.BIG_ENDIAN);
    return end;
  }

  private DescriptorCounters named(Domain domain, int end) {
    if (end > MAX_NAMED_BY_VALUES_BYTES) {
      return others(domain);
    }
    long key = hash.hash(name, 0, end) ^ domain.seed();
    DescriptorCounters known = byValues.get(key);
    if (known != null) {
      return known;
    }
    if (byValues.size() >= MAX_NAMED_BY_VALUES) {
      return others(domain);
    }
    List<String> names = new ArrayList<>();
    names.add(domain.name());
    for (int at = 0; at < end; ) {
      int length = name.getInt(at, ByteOrder.BIG_ENDIAN);
      byte[] text = new byte[length];
      name.getBytes(at + Integer.BYTES, text);
      names.add(new String(text, StandardCharsets.UTF_8));
      at += Integer.BYTES + length;
    }
    DescriptorCounters made = metrics.descriptor(names);
    byValues.put(key, made);
    return made;
  }

  private DescriptorCounters others(Domain domain) {
    return others.computeIfAbsent(domain.name(), of -> metrics.descriptor(List.of(of, "other")));
  }
}
