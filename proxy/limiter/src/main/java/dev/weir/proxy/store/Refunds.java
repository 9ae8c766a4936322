package dev.weir.proxy.store;

import dev.weir.proxy.store.map.StoreKeys;
import dev.weir.scripts.CheckCall;
import dev.weir.scripts.CheckReply;
import dev.weir.scripts.ScriptLimit;
import io.netty.buffer.ByteBuf;

/**
 * The refunds of a batch: grants of earlier batches that are returned. They come before its checks,
 * so that no check is refused for want of units that come back in the same call. No request waits
 * for them.
 *
 * <p>Reused with its batch.
 */
final class Refunds {
  private final CheckCall call = new CheckCall(Batch.MAX_KEYS);
  private final StoreKeys keys = new StoreKeys(Batch.MAX_KEYS, 1024);
  private final int[] firstKeys = new int[Batch.MAX_KEYS];
  private final ScriptLimit[][] limits = new ScriptLimit[Batch.MAX_KEYS][];
  private final long[] requests = new long[Batch.MAX_KEYS];

  /** Costs of one request, by key. */
  private final long[] costs = new long[Batch.MAX_KEYS];

  /** Marks by key. */
  private final long[] marks = new long[Batch.MAX_KEYS];

  private final long[] chargedAtUs = new long[Batch.MAX_KEYS];
  private final long[] livesUs = new long[Batch.MAX_KEYS];

  /** The only server that may execute each; 0 for any. */
  private final long[] servers = new long[Batch.MAX_KEYS];

  /** The index of the first refund that was not moved to another batch. */
  private int first;

  void begin(long unixUs) {
    call.clear(unixUs);
    keys.clear();
    first = 0;
  }

  /**
   * Adds a refund of what one check granted to some requests: one refund for all, as time has
   * returned a part of the grant once, and not once per request.
   */
  void add(StoreQuestion refund) {
    ScriptLimit[] of = refund.limits;
    int at =
        call.refund(
            refund.requests * refund.costs[0],
            refund.decidedAtUs,
            refund.lifeUs,
            of[0],
            refund.marks[0]);
    firstKeys[at] = keys.count();
    limits[at] = of;
    requests[at] = refund.requests;
    chargedAtUs[at] = refund.decidedAtUs;
    livesUs[at] = refund.lifeUs;
    servers[at] = refund.server;
    for (int i = 0; i < of.length; i++) {
      if (i > 0) {
        call.also(of[i], refund.requests * refund.costs[i], refund.marks[i]);
      }
      costs[keys.count()] = refund.costs[i];
      marks[keys.count()] = refund.marks[i];
      keys.copy(refund.keys, refund.first + i);
    }
  }

  /** Moves the first one to another batch; there must be one. */
  void moveFirstTo(Batch other) {
    int at = first++;
    StoreQuestion moved = new StoreQuestion().giveBack(servers[at], chargedAtUs[at], livesUs[at]);
    moved.of(keys, firstKeys[at], limits[at]).upTo(requests[at]);
    System.arraycopy(costs, firstKeys[at], moved.costs, 0, limits[at].length);
    System.arraycopy(marks, firstKeys[at], moved.marks, 0, limits[at].length);
    other.refund(moved);
  }

  /** The number of refunds that were not moved. */
  int count() {
    return call.checkCount() - first;
  }

  /** Whether that server may execute all of them. */
  boolean areAllFor(long server) {
    for (int at = first; at < call.checkCount(); at++) {
      if (servers[at] != 0 && servers[at] != server) {
        return false;
      }
    }
    return true;
  }

  /** The requests whose charges they return. */
  long requestCount() {
    long sum = 0;
    for (int at = first; at < call.checkCount(); at++) {
      sum += requests[at];
    }
    return sum;
  }

  /** Reports each that the server has executed, or may have. */
  void tell(BudgetListener listener) {
    for (int at = first; at < call.checkCount(); at++) {
      for (int key = firstKeys[at]; key < firstKeys[at] + limits[at].length; key++) {
        listener.givenBack(keys, key, costs[key]);
      }
    }
  }

  StoreKeys keys() {
    return keys;
  }

  int byteCount() {
    return call.length();
  }

  void writeKeys(ByteBuf out) {
    for (int key = 0; key < keys.count(); key++) {
      Resp.bulk(out, keys.bytes(), keys.start(key), keys.length(key));
    }
  }

  void writeTo(ByteBuf out) {
    out.writeBytes(call.array(), 0, call.length());
  }

  /** Whether the refunds' part of an answer is consistent. */
  boolean arePlausible(CheckReply reply) {
    for (int at = 0; at < call.checkCount(); at++) {
      int status = reply.status(at);
      if (reply.granted(at) != 0 || status < CheckReply.DONE || status > CheckReply.FOREIGN) {
        return false;
      }
    }
    return true;
  }
}
