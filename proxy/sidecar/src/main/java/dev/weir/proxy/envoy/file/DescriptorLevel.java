package dev.weir.proxy.envoy.file;

import java.util.List;
import org.agrona.DirectBuffer;

/**
 * The children of one node, by key and value: an open-addressing table, and the wildcards in the
 * order of the file. Immutable; any thread; a search allocates nothing.
 */
public final class DescriptorLevel {
  private static final int NO_VALUE = 0;

  private final DescriptorNode[] table;
  private final DescriptorNode[] wildcards;

  DescriptorLevel(List<DescriptorNode> nodes) {
    table = new DescriptorNode[Integer.highestOneBit(nodes.size() * 2 + 1) * 2];
    for (DescriptorNode node : nodes) {
      int at = hash(node.key(), node.value()) & table.length - 1;
      while (table[at] != null) {
        at = at + 1 & table.length - 1;
      }
      table[at] = node;
    }
    wildcards =
        nodes.stream().filter(node -> node.spec().isWildcard()).toArray(DescriptorNode[]::new);
  }

  /**
   * The node for an entry of a request: the one with its key and value, else the first wildcard in
   * the file that matches, else the one with its key alone; null if there is none.
   */
  public DescriptorNode find(
      DirectBuffer bytes, int keyAt, int keyLength, int valueAt, int valueLength) {
    long keyHash = Fnv.next(Fnv.add(Fnv.BASIS, bytes, keyAt, keyLength));
    DescriptorNode exact = null;
    if (valueLength > 0) {
      int hash = Fnv.fold(Fnv.add(keyHash, bytes, valueAt, valueLength));
      exact = find(hash, bytes, keyAt, keyLength, valueAt, valueLength);
    }
    for (int i = 0; exact == null && i < wildcards.length; i++) {
      if (wildcards[i].matches(bytes, keyAt, keyLength, valueAt, valueLength)) {
        exact = wildcards[i];
      }
    }
    return exact != null
        ? exact
        : find(Fnv.fold(keyHash), bytes, keyAt, keyLength, valueAt, NO_VALUE);
  }

  private DescriptorNode find(
      int hash, DirectBuffer bytes, int keyAt, int keyLength, int valueAt, int valueLength) {
    int at = hash & table.length - 1;
    while (table[at] != null) {
      if (table[at].isExactly(bytes, keyAt, keyLength, valueAt, valueLength)) {
        return table[at];
      }
      at = at + 1 & table.length - 1;
    }
    return null;
  }

  private static int hash(byte[] key, byte[] value) {
    return Fnv.fold(Fnv.add(Fnv.next(Fnv.add(Fnv.BASIS, key)), value));
  }
}
