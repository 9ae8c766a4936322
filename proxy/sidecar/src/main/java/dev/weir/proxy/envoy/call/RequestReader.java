package dev.weir.proxy.envoy.call;

import dev.weir.proxy.decision.proto.ProtoReader;
import dev.weir.proxy.envoy.file.LimitUnit;
import org.agrona.DirectBuffer;

/**
 * Reads an {@code envoy.service.ratelimit.v3.RateLimitRequest}; its texts stay in the message. One
 * per event loop; allocates nothing.
 */
final class RequestReader {
  private static final long UINT32 = 0xFFFF_FFFFL;

  private final ProtoReader request = new ProtoReader();
  private final ProtoReader descriptor = new ProtoReader();
  private final ProtoReader nested = new ProtoReader();
  private boolean isTooMuch;

  /**
   * Reads a message, from 0 to its capacity.
   *
   * @return null if the call can be decided; otherwise why not.
   */
  CallFault read(DirectBuffer message, RateLimitCall to) {
    to.start(message);
    isTooMuch = false;
    request.wrap(message, 0, message.capacity());
    for (int field = request.next(); field != ProtoReader.END; field = request.next()) {
      switch (field) {
        case 1 -> {
          request.text();
          to.domain(request.offset(), request.length());
        }
        case 2 -> {
          request.message(descriptor);
          descriptor(request.offset(), to);
        }
        case 3 -> to.hits(request.varint() & UINT32);
        default -> request.skip();
      }
    }
    return request.isMalformed()
        ? CallFault.NO_MESSAGE
        : isTooMuch ? CallFault.TOO_MANY : to.fault();
  }

  private void descriptor(int base, RateLimitCall to) {
    if (!to.descriptor()) {
      isTooMuch = true;
      return;
    }
    for (int field = descriptor.next(); field != ProtoReader.END; field = descriptor.next()) {
      switch (field) {
        case 1 -> {
          descriptor.message(nested);
          entry(base + descriptor.offset(), to);
        }
        case 2 -> {
          descriptor.message(nested);
          limit(to);
        }
        case 3 -> {
          descriptor.message(nested);
          to.hitsOfDescriptor(number());
        }
        default -> descriptor.skip();
      }
    }
    if (descriptor.isMalformed()) {
      request.malformed();
    }
  }

  private void entry(int base, RateLimitCall to) {
    int keyAt = base;
    int keyLength = 0;
    int valueAt = base;
    int valueLength = 0;
    for (int field = nested.next(); field != ProtoReader.END; field = nested.next()) {
      switch (field) {
        case 1 -> {
          nested.text();
          keyAt = base + nested.offset();
          keyLength = nested.length();
        }
        case 2 -> {
          nested.text();
          valueAt = base + nested.offset();
          valueLength = nested.length();
        }
        default -> nested.skip();
      }
    }
    endNested();
    isTooMuch |= !to.entry(keyAt, keyLength, valueAt, valueLength);
  }

  private void limit(RateLimitCall to) {
    long requestsPerUnit = 0;
    long unit = RateLimitCall.NO_UNIT;
    for (int field = nested.next(); field != ProtoReader.END; field = nested.next()) {
      switch (field) {
        case 1 -> requestsPerUnit = nested.varint() & UINT32;
        case 2 -> unit = nested.varint();
        default -> nested.skip();
      }
    }
    endNested();
    boolean isKnown = LimitUnit.ofNumber(unit) != null;
    to.limitOfDescriptor(requestsPerUnit, isKnown ? (int) unit : RateLimitCall.NO_UNIT);
  }

  /** The value of a {@code google.protobuf.UInt64Value}. */
  private long number() {
    long value = 0;
    for (int field = nested.next(); field != ProtoReader.END; field = nested.next()) {
      if (field == 1) {
        value = nested.varint();
      } else {
        nested.skip();
      }
    }
    endNested();
    return value;
  }

  private void endNested() {
    if (nested.isMalformed()) {
      descriptor.malformed();
    }
  }
}
