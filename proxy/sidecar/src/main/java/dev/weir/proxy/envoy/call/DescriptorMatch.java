package dev.weir.proxy.envoy.call;

import dev.weir.proxy.control.YamlBudget;
import dev.weir.proxy.envoy.file.DescriptorLevel;
import dev.weir.proxy.envoy.file.DescriptorNode;
import dev.weir.proxy.envoy.file.Domain;
import dev.weir.proxy.envoy.file.NodeLimit;

/**
 * The path from a domain to the node of a descriptor: the node at each of its entries. Reused. One
 * per event loop; allocates nothing.
 */
final class DescriptorMatch {
  private final DescriptorNode[] path = new DescriptorNode[YamlBudget.MAX_DEPTH];
  private int depth;

  /**
   * Finds the limit of one of a call's descriptors: that of the node at its last entry, and of no
   * other node.
   *
   * @return null if there is none, and the descriptor passes.
   */
  NodeLimit find(Domain domain, RateLimitCall call, int descriptor) {
    int count = call.entryCount(descriptor);
    int first = call.firstEntry(descriptor);
    depth = 0;
    DescriptorLevel level = domain.level();
    DescriptorNode node = null;
    if (count > path.length) {
      return null;
    }
    for (int entry = first; entry < first + count; entry++) {
      node =
          level.find(
              call.bytes(),
              call.keyAt(entry),
              call.keyLength(entry),
              call.valueAt(entry),
              call.valueLength(entry));
      if (node == null) {
        return null;
      }
      path[depth++] = node;
      level = node.children();
    }
    return node == null ? null : node.limit();
  }

  /** Clears the path. */
  void clear() {
    depth = 0;
  }

  /** The number of entries that were found. */
  int depth() {
    return depth;
  }

  /** The node of an entry. */
  DescriptorNode node(int entry) {
    return path[entry];
  }
}
