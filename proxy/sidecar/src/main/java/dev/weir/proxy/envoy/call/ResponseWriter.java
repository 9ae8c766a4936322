package dev.weir.proxy.envoy.call;

import dev.weir.proxy.decision.proto.ProtoWriter;
import dev.weir.proxy.envoy.file.LimitUnit;
import dev.weir.proxy.envoy.file.NodeLimit;

/**
 * Writes a verdict as an {@code envoy.service.ratelimit.v3.RateLimitResponse}. One per event loop;
 * allocates nothing.
 */
final class ResponseWriter {
  private static final int OK = 1;
  private static final int OVER_LIMIT = 2;
  private static final long NS_PER_SECOND = 1_000_000_000;

  private final HeaderFields fields = new HeaderFields();

  void write(RateLimitVerdict verdict, ProtoWriter to) {
    to.varint(1, verdict.isOverLimit() ? OVER_LIMIT : OK);
    for (int i = 0; i < verdict.count(); i++) {
      int begun = to.beginMessage(2);
      status(verdict.status(i), to);
      to.endMessage(begun);
    }
    fields.begin(verdict);
    while (fields.next()) {
      int begun = to.beginMessage(3);
      to.bytes(1, fields.name());
      to.bytes(2, fields.value(), 0, fields.valueLength());
      to.endMessage(begun);
    }
  }

  private static void status(DescriptorStatus status, ProtoWriter to) {
    to.varint(1, status.isOver() ? OVER_LIMIT : OK);
    LimitUnit unit = status.unit();
    if (unit != null) {
      int begun = to.beginMessage(2);
      to.varint(1, status.requestsPerUnit());
      to.varint(2, unit.number());
      NodeLimit limit = status.limit();
      if (limit != null) {
        to.bytes(3, limit.name());
      }
      to.endMessage(begun);
    }
    to.varint(3, status.remaining());
    if (unit != null) {
      int begun = to.beginMessage(4);
      to.varint(1, status.resetNs() / NS_PER_SECOND);
      to.varint(2, status.resetNs() % NS_PER_SECOND);
      to.endMessage(begun);
    }
  }
}
