package dev.weir.proxy.decision;

import dev.weir.proxy.request.Ascii;
import java.util.List;
import org.agrona.DirectBuffer;

/** The methods that one event loop answers, found by their paths. */
final class GrpcMethods {
  private final GrpcMethod[] methods;
  private final byte[][] paths;
  private final int mask;

  /**
   * @param all with a path each of its own.
   */
  GrpcMethods(List<GrpcMethod> all) {
    int slots = Integer.highestOneBit(4 * Math.max(1, all.size()));
    mask = slots - 1;
    methods = new GrpcMethod[slots];
    paths = new byte[slots][];
    for (GrpcMethod method : all) {
      byte[] path = HttpRoute.ascii(method.path());
      int slot = slot(path.length, path[path.length - 1], path[path.length - 2]);
      while (methods[slot] != null) {
        slot = slot + 1 & mask;
      }
      methods[slot] = method;
      paths[slot] = path;
    }
  }

  private int slot(int length, byte last, byte beforeLast) {
    return length + 31 * last + 7 * beforeLast & mask;
  }

  /** The method of a path; null if there is none. */
  GrpcMethod find(DirectBuffer bytes, int offset, int length) {
    if (length < 2) {
      return null;
    }
    int last = offset + length - 1;
    int slot = slot(length, bytes.getByte(last), bytes.getByte(last - 1));
    while (methods[slot] != null) {
      if (Ascii.equals(bytes, offset, length, paths[slot])) {
        return methods[slot];
      }
      slot = slot + 1 & mask;
    }
    return null;
  }
}
