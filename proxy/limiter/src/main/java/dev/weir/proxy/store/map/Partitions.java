package dev.weir.proxy.store.map;

import dev.weir.algorithms.SipHash;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/**
 * The partitions: every identity belongs to one of {@link #COUNT}, and every partition to one
 * server. The partition is the hash tag of a key, {@code {p042}}, so all budgets of an identity are
 * on one server, and in a cluster one call can have those of many identities.
 */
public final class Partitions {
  /** The number of partitions, the same on every sidecar of a fleet. */
  public static final int COUNT = 128;

  private static final int SLOT_COUNT = 16_384;
  private static final byte[][] TAGS = tags();
  private static final byte[] PREFIX = {'r', 'l', ':'};
  private static final int[] SLOTS = slots();

  private Partitions() {}

  private static byte[][] tags() {
    byte[][] tags = new byte[COUNT][];
    for (int partition = 0; partition < COUNT; partition++) {
      tags[partition] = String.format("{p%03d}", partition).getBytes(StandardCharsets.US_ASCII);
    }
    return tags;
  }

  private static int[] slots() {
    int[] slots = new int[COUNT];
    for (int partition = 0; partition < COUNT; partition++) {
      byte[] tag = TAGS[partition];
      slots[partition] = crc16(tag, 1, tag.length - 1) % SLOT_COUNT;
    }
    return slots;
  }

  /** The partition of an identity, by a hash of it that is the same on every sidecar. */
  public static int of(long hash) {
    return (int) (hash >>> 57); // the upper seven bits
  }

  /** A hash with its partition replaced. */
  static long into(long hash, int partition) {
    return hash >>> 7 | (long) partition << 57;
  }

  /** The hash tag, braces included; not to be changed. */
  public static byte[] tag(int partition) {
    return TAGS[partition];
  }

  /** The partition in a name that starts with {@code rl:{p042}:}; -1 if it does not. */
  public static int named(byte[] name) {
    for (int partition = 0; partition < COUNT; partition++) {
      byte[] tag = TAGS[partition];
      int end = PREFIX.length + tag.length;
      if (name.length > end
          && name[end] == ':'
          && Arrays.equals(name, 0, PREFIX.length, PREFIX, 0, PREFIX.length)
          && Arrays.equals(name, PREFIX.length, end, tag, 0, tag.length)) {
        return partition;
      }
    }
    return -1;
  }

  /** The slot of Redis Cluster that the partition's keys belong to. */
  static int slot(int partition) {
    return SLOTS[partition];
  }

  /** CRC-16/XMODEM, as in the specification of Redis Cluster. */
  private static int crc16(byte[] bytes, int from, int to) {
    int crc = 0;
    for (int i = from; i < to; i++) {
      crc ^= (bytes[i] & 0xFF) << 8;
      for (int bit = 0; bit < 8; bit++) {
        crc = (crc & 0x8000) != 0 ? (crc << 1 ^ 0x1021) & 0xFFFF : crc << 1;
      }
    }
    return crc;
  }

  /**
   * Assigns partitions to independent servers by weighted rendezvous hashing, so a server that
   * joins or leaves moves only its own share. A server counts by its address as written.
   *
   * @return the index of the server, by partition.
   */
  static int[] spread(List<StoreNode> nodes) {
    int[] owners = new int[COUNT];
    for (int partition = 0; partition < COUNT; partition++) {
      double best = Double.NEGATIVE_INFINITY;
      for (int i = 0; i < nodes.size(); i++) {
        double score = score(nodes.get(i), partition);
        if (score > best) {
          best = score;
          owners[partition] = i;
        }
      }
    }
    return owners;
  }

  private static double score(StoreNode node, int partition) {
    long hash = 0xCBF2_9CE4_8422_2325L ^ partition; // FNV-1a, then a finaliser
    String name = node.toString();
    for (int i = 0; i < name.length(); i++) {
      hash = (hash ^ name.charAt(i)) * 0x0000_0100_0000_01B3L;
    }
    double uniform = ((SipHash.mix(hash) >>> 11) + 0.5) / (1L << 53); // in (0, 1)
    return -node.weight() / Math.log(uniform);
  }
}
