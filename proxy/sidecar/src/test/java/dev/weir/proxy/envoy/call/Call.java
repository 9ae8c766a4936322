package dev.weir.proxy.envoy.call;

import dev.weir.proxy.envoy.file.LimitUnit;
import java.nio.charset.StandardCharsets;
import org.agrona.concurrent.UnsafeBuffer;

/** A call as a test has it: a domain, and descriptors such as {@code tier=free user=ann}. */
final class Call {
  private final StringBuilder text = new StringBuilder();
  private final RateLimitCall call = new RateLimitCall();

  private Call() {
    call.start(null);
  }

  static Call to(String domain) {
    Call made = new Call();
    made.call.domain(made.add(domain), length(domain));
    return made;
  }

  private int add(String part) {
    int at = length(text.toString());
    text.append(part);
    return at;
  }

  private static int length(String part) {
    return part.getBytes(StandardCharsets.UTF_8).length;
  }

  /** Adds a descriptor of entries that are {@code key=value}, with blanks between them. */
  Call descriptor(String entries) {
    if (!call.descriptor()) {
      throw new AssertionError("too many descriptors");
    }
    for (String entry : entries.isEmpty() ? new String[0] : entries.split(" ")) {
      int equals = entry.indexOf('=');
      String key = entry.substring(0, equals);
      String value = entry.substring(equals + 1);
      if (!call.entry(add(key), length(key), add(value), length(value))) {
        throw new AssertionError("too many entries");
      }
    }
    return this;
  }

  Call hits(long count) {
    call.hits(count);
    return this;
  }

  Call hitsOfDescriptor(long count) {
    call.hitsOfDescriptor(count);
    return this;
  }

  Call limit(long requestsPerUnit, LimitUnit unit) {
    call.limitOfDescriptor(requestsPerUnit, unit.number());
    return this;
  }

  /** The call with its bytes. */
  RateLimitCall get() {
    byte[] bytes = text.toString().getBytes(StandardCharsets.UTF_8);
    call.bytes(new UnsafeBuffer(bytes));
    return call;
  }
}
