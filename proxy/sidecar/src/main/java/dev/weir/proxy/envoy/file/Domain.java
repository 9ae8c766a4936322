package dev.weir.proxy.envoy.file;

import java.nio.charset.StandardCharsets;

/**
 * A domain with its tree of descriptors, compiled. Immutable; any thread.
 *
 * @param bytes of the name, in UTF-8; not to be changed.
 * @param seed separates names in this domain from those in others.
 * @param replaces whether any of its limits replaces others, so that all limits of a call have to
 *     be found first.
 */
public record Domain(
    String name,
    byte[] bytes,
    long seed,
    DescriptorLevel level,
    DomainOptions options,
    boolean replaces) {
  static Domain of(String name, DescriptorLevel level, DomainOptions options, boolean replaces) {
    byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
    return new Domain(name, bytes, Fnv.add(Fnv.BASIS, bytes), level, options, replaces);
  }
}
