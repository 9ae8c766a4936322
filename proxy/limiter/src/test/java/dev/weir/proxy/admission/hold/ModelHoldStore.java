package dev.weir.proxy.admission.hold;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.admission.hold.Holder.Applied;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/**
 * The store's side of operation {@code hold} for one limit, as plainly as it can be said: a record
 * for each id, and a list of all charges, each of which counts for a window.
 */
class ModelHoldStore {
  /** What a holder has said last. */
  static final class Entry {
    long held;
    long charged;
    long sequence;
    long expiresNs;
  }

  record Charge(long atNs, long units) {}

  /** An answer to one message. */
  record Reply(Applied applied, long granted, long kept) {}

  final long capacity;
  final long windowNs;
  final Map<Long, Entry> entries = new HashMap<>();
  final List<Charge> charges = new ArrayList<>();

  /** When each record expired that held units. */
  final Map<Long, Long> expired = new HashMap<>();

  ModelHoldStore(long capacity, long windowNs) {
    this.capacity = capacity;
    this.windowNs = windowNs;
  }

  /** A copy, as a replica has it. */
  ModelHoldStore copy() {
    ModelHoldStore copy = new ModelHoldStore(capacity, windowNs);
    copyTo(copy);
    return copy;
  }

  final void copyTo(ModelHoldStore copy) {
    entries.forEach(
        (id, entry) -> {
          Entry same = new Entry();
          same.held = entry.held;
          same.charged = entry.charged;
          same.sequence = entry.sequence;
          same.expiresNs = entry.expiresNs;
          copy.entries.put(id, same);
        });
    copy.charges.addAll(charges);
    copy.expired.putAll(expired);
  }

  void expire(long nowNs) {
    for (Iterator<Map.Entry<Long, Entry>> all = entries.entrySet().iterator(); all.hasNext(); ) {
      Map.Entry<Long, Entry> next = all.next();
      Entry entry = next.getValue();
      if (entry.expiresNs <= nowNs) {
        if (entry.held > 0) {
          charges.add(new Charge(entry.expiresNs, entry.held));
          expired.put(next.getKey(), entry.expiresNs);
        }
        all.remove();
      }
    }
  }

  Reply apply(HoldMessage message, long reserve, long nowNs) {
    expire(nowNs);
    assertTrue(!message.mayBeNew || message.held[0] + message.charged[0] == 0, "has said nothing");
    Entry entry = entries.get(message.id);
    if (entry == null && !message.mayBeNew) {
      return new Reply(Applied.FORGOTTEN, 0, 0);
    }
    if (entry != null && message.sequence <= entry.sequence) {
      return new Reply(Applied.OLDER, 0, 0);
    }
    if (entry == null) {
      entry = new Entry();
      entries.put(message.id, entry);
    }
    charges.add(new Charge(nowNs, message.charged[0] - entry.charged));
    entry.held = message.held[0];
    entry.charged = message.charged[0];
    entry.sequence = message.sequence;
    entry.expiresNs = nowNs + Holder.LIFE_NS;
    long free = capacity - used(nowNs) - held();
    long granted = Math.max(0, Math.min(message.requests, free / reserve));
    long left = Math.max(0, free - granted * reserve);
    long kept = granted < message.requests ? 0 : Math.min(message.keep, left / 4 / reserve);
    entry.held += (granted + kept) * reserve;
    return new Reply(Applied.APPLIED, granted, kept);
  }

  long held() {
    return entries.values().stream().mapToLong(entry -> entry.held).sum();
  }

  private long used(long nowNs) {
    long used = 0;
    for (Charge charge : charges) {
      used += charge.atNs > nowNs - windowNs ? charge.units : 0;
    }
    return used;
  }

  long chargedInAll() {
    return charges.stream().mapToLong(Charge::units).sum();
  }
}
