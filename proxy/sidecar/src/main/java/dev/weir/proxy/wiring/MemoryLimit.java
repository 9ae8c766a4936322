package dev.weir.proxy.wiring;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Compares what a sidecar may need with the memory of its container. Limit tables that cannot fit
 * give a warning, and below {@link #LEAST_WARM_BYTES} a start does not warm up. Limits of parent
 * control groups are not looked for.
 */
public final class MemoryLimit {
  /**
   * The memory that a sidecar without a key takes of its container, in bytes: 40 MiB were measured
   * when it was ready, 62 under full load with one event loop. Rather too little, so that no
   * warning is false.
   */
  static final long LEAST_REST_BYTES = 48L << 20;

  /**
   * The memory that a warm-up wants of a container, in bytes: 60 to 88 MiB were measured in the
   * first seconds of a start with next to no table, and 31 to 36 without it.
   */
  static final long LEAST_WARM_BYTES = 96L << 20;

  /**
   * The limits of both versions of cgroups: a number of bytes, a number beyond all memory, or a
   * word.
   */
  private static final Path[] FILES = {
    Path.of("/sys/fs/cgroup/memory.max"), Path.of("/sys/fs/cgroup/memory/memory.limit_in_bytes")
  };

  /** The least that clients may take, however small the container is, in bytes. */
  private static final long LEAST_CLIENTS_BYTES = 16L << 20;

  private MemoryLimit() {}

  /** The heap that this process may take, in bytes. */
  static long heapBytes() {
    return heapBytes(Runtime.getRuntime().maxMemory(), bytes());
  }

  /**
   * The part of the heap that may be taken in a container, in bytes: the memory that the rest of
   * the sidecar leaves, if that is less than the heap may be.
   */
  static long heapBytes(long maxHeapBytes, long limitBytes) {
    return Math.min(maxHeapBytes, Math.max(LEAST_CLIENTS_BYTES, limitBytes - LEAST_REST_BYTES));
  }

  /** The container's limit; {@link Long#MAX_VALUE} if it has none. */
  static long bytes() {
    return limitBytes(FILES);
  }

  /** Why a start does not warm up; null if it may. */
  public static String whyCold(long limitBytes) {
    return limitBytes >= LEAST_WARM_BYTES
        ? null
        : "not warmed up, so that the first requests are slower: the container gives "
            + mib(limitBytes)
            + " MiB (expected: "
            + mib(LEAST_WARM_BYTES)
            + " or more)";
  }

  /** The warning about limit tables at start; null if there is none. */
  public static String warning(long tableBytes, long limitBytes) {
    if (tableBytes + LEAST_REST_BYTES <= limitBytes) {
      return null;
    }
    return "table.keys, table.ring-keys: "
        + mib(tableBytes)
        + " MiB once as many keys have come, and "
        + mib(LEAST_REST_BYTES)
        + " or more for the rest, but the container gives "
        + mib(limitBytes)
        + " (expected: fewer keys, or more memory); the kernel may end this process";
  }

  /** The first limit that one of some files tells; {@link Long#MAX_VALUE} if none does. */
  public static long limitBytes(Path... files) {
    for (Path file : files) {
      try {
        return Long.parseLong(Files.readString(file).strip());
      } catch (IOException | SecurityException | NumberFormatException notTold) {
        // Another version of cgroups, none at all, or no limit.
      }
    }
    return Long.MAX_VALUE;
  }

  /** Rounded to whole ones. */
  private static long mib(long bytes) {
    return (bytes + (1 << 19)) >> 20;
  }
}
