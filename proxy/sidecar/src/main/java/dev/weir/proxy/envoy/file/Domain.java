package dev.weir.proxy.envoy.file;

import java.nio.charset.StandardCharsets;

/** A domain with its tree of descriptors, compiled. Immutable; any thread. */
public final class Domain {
  private final String name;
  private final byte[] bytes;
  private final DescriptorLevel level;
  private final DomainOptions options;
  private final boolean replaces;
  private final long seed;

  /**
   * @param replaces whether any of its limits replaces others.
   */
  Domain(String name, DescriptorLevel level, DomainOptions options, boolean replaces) {
    this.name = name;
    this.bytes = name.getBytes(StandardCharsets.UTF_8);
    this.level = level;
    this.options = options;
    this.replaces = replaces;
    this.seed = Fnv.add(Fnv.BASIS, bytes);
  }

  /** Sets names below this domain apart from those below others. */
  public long seed() {
    return seed;
  }

  public String name() {
    return name;
  }

  public byte[] bytes() {
    return bytes;
  }

  public DescriptorLevel level() {
    return level;
  }

  /** Whether any of its limits replaces others, so that all of a call are looked at first. */
  public boolean replaces() {
    return replaces;
  }

  public DomainOptions options() {
    return options;
  }
}
