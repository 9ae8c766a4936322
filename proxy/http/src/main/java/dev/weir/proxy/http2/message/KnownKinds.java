package dev.weir.proxy.http2.message;

import dev.weir.proxy.exchange.KnownField;
import dev.weir.proxy.http2.hpack.FieldKind;
import java.nio.charset.StandardCharsets;
import org.agrona.concurrent.UnsafeBuffer;

/** The fields that a proxy itself acts on, by their kinds. */
final class KnownKinds {
  private static final KnownField[] BY_KIND = new KnownField[FieldKind.COUNT];
  private static final int[] KINDS = new int[KnownField.values().length];

  static {
    for (int kind = 1; kind < FieldKind.COUNT; kind++) {
      byte[] name = FieldKind.name(kind).getBytes(StandardCharsets.US_ASCII);
      BY_KIND[kind] =
          kind == FieldKind.X_ENVOY
              ? KnownField.X_ENVOY
              : KnownField.lookUp(new UnsafeBuffer(name), 0, name.length);
      if (BY_KIND[kind] != null) {
        KINDS[BY_KIND[kind].ordinal()] = kind;
      }
    }
  }

  private KnownKinds() {}

  /** The known field of a {@link FieldKind}; null for any other. */
  static KnownField of(int kind) {
    return BY_KIND[kind];
  }

  /** The {@link FieldKind} of a known field. */
  static int kind(KnownField field) {
    return KINDS[field.ordinal()];
  }
}
