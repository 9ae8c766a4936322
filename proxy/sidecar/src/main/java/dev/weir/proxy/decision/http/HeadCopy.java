package dev.weir.proxy.decision.http;

import dev.weir.proxy.exchange.KnownField;
import dev.weir.proxy.request.Peer;
import dev.weir.proxy.request.RequestView;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import org.agrona.DirectBuffer;
import org.agrona.ExpandableArrayBuffer;

/**
 * A copy of a request's head in one buffer, while the request waits for its body: the lengths of
 * its parts, then the parts.
 */
final class HeadCopy {
  private HeadCopy() {}

  /** Copies a head into a buffer, without fields that are omitted. */
  static ByteBuf write(RequestView head) {
    ByteBuf out = ByteBufAllocator.DEFAULT.directBuffer(512);
    int present = 0;
    for (int i = 0; i < head.fieldCount(); i++) {
      present += isCopied(head, i) ? 1 : 0;
    }
    out.writeInt(head.methodLength());
    out.writeInt(head.pathLength());
    out.writeInt(head.authorityLength());
    out.writeInt(head.queryLength());
    out.writeInt(present);
    for (int i = 0; i < head.fieldCount(); i++) {
      if (isCopied(head, i)) {
        out.writeInt(head.nameLength(i)).writeInt(head.valueLength(i));
      }
    }
    copy(head, head.methodOffset(), head.methodLength(), out);
    copy(head, head.pathOffset(), head.pathLength(), out);
    copy(head, head.authorityOffset(), head.authorityLength(), out);
    copy(head, head.queryOffset(), head.queryLength(), out);
    for (int i = 0; i < head.fieldCount(); i++) {
      if (isCopied(head, i)) {
        copy(head, head.nameOffset(i), head.nameLength(i), out);
        copy(head, head.valueOffset(i), head.valueLength(i), out);
      }
    }
    return out;
  }

  /**
   * Whether a field goes along: also the list of addresses, which is written anew for a service.
   */
  private static boolean isCopied(RequestView head, int field) {
    if (!head.omits(field)) {
      return true;
    }
    KnownField known =
        KnownField.lookUp(head.bytes(), head.nameOffset(field), head.nameLength(field));
    return known == KnownField.X_FORWARDED_FOR;
  }

  private static void copy(RequestView head, int offset, int length, ByteBuf out) {
    DirectBuffer bytes = head.bytes();
    out.ensureWritable(Math.max(0, length));
    for (int i = 0; i < length; i++) {
      out.writeByte(bytes.getByte(offset + i));
    }
  }

  /**
   * Makes a view of a copy.
   *
   * @param into takes the bytes, to which the view refers.
   */
  static void read(ByteBuf in, ExpandableArrayBuffer into, RequestView view, Peer peer) {
    int methodLength = in.readInt();
    int pathLength = in.readInt();
    int authorityLength = in.readInt();
    int queryLength = in.readInt();
    int fieldCount = in.readInt();
    int lengthsAt = in.readerIndex();
    in.skipBytes(2 * Integer.BYTES * fieldCount);
    int bytes = in.readableBytes();
    into.checkLimit(bytes);
    in.readBytes(into.byteArray(), 0, bytes);
    view.reset(into, 0, into.capacity(), peer);
    int at = 0;
    view.method(at, methodLength);
    at += methodLength;
    view.path(at, pathLength);
    at += pathLength;
    view.authority(at, authorityLength);
    at += authorityLength;
    if (queryLength >= 0) {
      view.query(at, queryLength);
      at += queryLength;
    }
    for (int i = 0; i < fieldCount; i++) {
      int nameLength = in.getInt(lengthsAt + 2 * Integer.BYTES * i);
      int valueLength = in.getInt(lengthsAt + 2 * Integer.BYTES * i + Integer.BYTES);
      view.addField(at, nameLength, at + nameLength, valueLength);
      at += nameLength + valueLength;
    }
  }
}
