package dev.weir.proxy.rule.spec;

import dev.weir.algorithms.SipHash;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.agrona.concurrent.UnsafeBuffer;

/** The key of a rule: one source, or several whose values together are one identity. */
public final class KeySpec {
  /** The most sources of one key. */
  public static final int MAX_PARTS = 8;

  private static final int MAX_DIMENSION_BYTES = 100;

  /** The default: the client's address. */
  public static final KeySpec IP = new KeySpec(List.of(KeyPart.IP));

  /** The key of budgets that all callers share. */
  public static final KeySpec ALL = new KeySpec(List.of(KeyPart.ALL));

  /** The key of Envoy's descriptors, whose entries the caller gives; it reads no request. */
  public static final KeySpec DESCRIPTOR = new KeySpec(List.of());

  private final KeyPart[] parts;

  private KeySpec(List<KeyPart> parts) {
    this.parts = parts.toArray(KeyPart[]::new);
  }

  /** Reads sources separated by commas, as on the command line. */
  public static KeySpec parse(String text) {
    return of(Arrays.asList(text.split(",", -1)));
  }

  /**
   * @throws BadValueException naming the first source that cannot be used.
   */
  public static KeySpec of(List<String> texts) {
    IdentityNames names = new IdentityNames();
    return ofParts(texts.stream().flatMap(text -> names.parts(text.strip()).stream()).toList());
  }

  /**
   * Makes a key of sources.
   *
   * @throws BadValueException naming the first that cannot be used beside the others.
   */
  public static KeySpec ofParts(List<KeyPart> all) {
    if (all.isEmpty() || all.size() > MAX_PARTS) {
      String found = all.stream().map(KeyPart::toString).collect(Collectors.joining(","));
      throw new BadValueException(found, "1 to " + MAX_PARTS + " sources");
    }
    List<KeyPart> parts = new ArrayList<>(all.size());
    for (KeyPart part : all) {
      if (all.size() > 1 && part == KeyPart.ALL) {
        throw new BadValueException("all", "no other source beside it, as it is all callers");
      }
      if (parts.contains(part)) {
        throw new BadValueException(part.toString(), "each source once");
      }
      parts.add(part);
    }
    return new KeySpec(parts);
  }

  /**
   * The kind of identity, as it stands in names in the store: the sources with {@code +} between
   * them, a dot for the colon, and every other byte than letters, digits and {@code -._~@}
   * percent-encoded. A long one is cut, and ends with {@code #} and a hash.
   */
  public byte[] dimension() {
    if (this == DESCRIPTOR) {
      return toString().getBytes(StandardCharsets.US_ASCII);
    }
    int most = 3 * toString().getBytes(StandardCharsets.UTF_8).length;
    UnsafeBuffer out = new UnsafeBuffer(new byte[most]);
    int at = 0;
    for (KeyPart part : parts) {
      if (at > 0) {
        out.putByte(at++, (byte) '+');
      }
      byte[] name = part.toString().replaceFirst(":", ".").getBytes(StandardCharsets.UTF_8);
      at = PercentEncoding.encode(new UnsafeBuffer(name), 0, name.length, out, at, out.capacity());
    }
    if (at > MAX_DIMENSION_BYTES) {
      long hash = new SipHash(0, 0).hash(out, 0, at);
      at = MAX_DIMENSION_BYTES - 17;
      out.putByte(at++, (byte) '#');
      at += out.putStringWithoutLengthAscii(at, String.format("%016x", hash));
    }
    return Arrays.copyOf(out.byteArray(), at);
  }

  /** The sources, in their order. */
  List<KeyPart> parts() {
    return List.of(parts);
  }

  /** The sources of its parts that have several, as sidecars compare them; empty without such. */
  String alternatives() {
    return Arrays.stream(parts)
        .filter(part -> part.sourceCount() > 0)
        .map(part -> ", " + part + "=" + part.sources())
        .collect(Collectors.joining());
  }

  /** Whether a part is a claim of a token. */
  public boolean readsTokens() {
    return Arrays.stream(parts).anyMatch(KeyPart::readsToken);
  }

  /** Whether a part, or a source of one, is a value that a client can choose. */
  public boolean hasChosen() {
    return Arrays.stream(parts)
        .anyMatch(part -> part.isChosen() || part.find(KeyPart::isChosen) != null);
  }

  public int partCount() {
    return parts.length;
  }

  public KeyPart part(int index) {
    return parts[index];
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof KeySpec that && Arrays.equals(parts, that.parts);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(parts);
  }

  /** The sources, separated by commas. */
  @Override
  public String toString() {
    return this == DESCRIPTOR
        ? "descriptor"
        : Arrays.stream(parts).map(KeyPart::toString).collect(Collectors.joining(","));
  }
}
