package dev.weir.proxy.http2.message;

import dev.weir.proxy.exchange.ForwardedFields;
import dev.weir.proxy.exchange.KnownField;
import dev.weir.proxy.http2.hpack.FieldEncoder;
import io.netty.buffer.ByteBuf;
import org.agrona.DirectBuffer;

/** Fields that Weir adds, as a field block of HTTP/2 has them. */
final class FieldNotation implements ForwardedFields.Notation {
  static final byte[] VIA = ForwardedFields.via(new FieldNotation());

  private final FieldEncoder encoder = new FieldEncoder();

  @Override
  public void begin(ByteBuf out, KnownField field, int valueBytes) {
    encoder.begin(out, KnownKinds.kind(field), valueBytes);
  }

  @Override
  public void end(ByteBuf out) {
    // The length before a value says where it ends.
  }

  @Override
  public boolean canHold(DirectBuffer bytes, int from, int to) {
    return true; // whoever has read it has looked at its characters
  }
}
