package dev.weir.proxy.virtual;

import dev.weir.proxy.virtual.Exchange.Cost;
import dev.weir.proxy.virtual.Exchange.Deed;
import dev.weir.proxy.virtual.HeldLimits.Told;
import java.util.List;
import java.util.function.ToLongFunction;

/**
 * Holds a sidecar to limits whose units requests hold, once nothing happens any more. It knows the
 * manual, what clients and service have seen, and in which order, and no more.
 *
 * <ul>
 *   <li>When a request comes to the service, what requests had cost that ended before it began,
 *       what is held by those that were at the service from before it began, and what it holds are
 *       no more than the limit.
 *   <li>No more requests of a group are at the service at one moment than there are slots.
 *   <li>Nobody is refused where all that may have been used or held leaves room.
 *   <li>In the end what is used is what each request cost, once: so nothing is held any more.
 * </ul>
 */
final class HeldJudge {
  private final HeldLimits limits;
  private final boolean isStored;

  /**
   * @param isStored whether units are held in the store, where those of several limits are asked
   *     for apart: what one grants is held for a moment even if another refuses.
   */
  HeldJudge(HeldLimits limits, boolean isStored) {
    this.limits = limits;
    this.isStored = isStored;
  }

  /**
   * Finds what was granted, refused and charged right.
   *
   * @param isExact whether the store has answered everything in time: otherwise a holder that was
   *     not heard may have been charged what it held, too.
   * @param used units of a user.
   */
  void check(List<Exchange> all, boolean isExact, ToLongFunction<String> used) {
    for (Exchange exchange : all) {
      if (exchange.arrivals > 0) {
        checkGranted(exchange, all);
      }
      if (exchange.status() == 429 && isExact) {
        check(mayBeFull(exchange, all), exchange + " is refused though there is room");
      }
    }
    all.stream()
        .map(HeldJudge::user)
        .distinct()
        .forEach(user -> checkUsed(user, all, isExact, used.applyAsLong(user)));
  }

  private static String user(Exchange of) {
    return of.identities.get(0);
  }

  private static String group(Exchange of) {
    return of.identities.get(1);
  }

  private void checkGranted(Exchange granted, List<Exchange> all) {
    long units = limits.reserve();
    int slots = 1;
    for (Exchange other : all) {
      if (other == granted) {
        continue;
      }
      boolean isSurelyServed = other.isDone && other.isOfService();
      if (user(other).equals(user(granted)) && isSurelyServed) {
        boolean isOver = other.doneAt < granted.beganAt;
        boolean isHeld = other.arrivedAt < granted.beganAt && granted.arrivedAt < other.sentAt;
        units += isOver ? least(other) : isHeld ? limits.reserve() : 0;
      }
      boolean isThere = other.arrivedAt < granted.arrivedAt && granted.arrivedAt < other.sentAt;
      slots += group(other).equals(group(granted)) && isSurelyServed && isThere ? 1 : 0;
    }
    check(units <= limits.units(), granted + " has units of " + units + " of " + limits.units());
    check(
        limits.slots() == 0 || slots <= limits.slots(),
        granted + " has a slot beside " + (slots - 1) + " others, of " + limits.slots());
  }

  private boolean mayBeFull(Exchange refused, List<Exchange> all) {
    long units = limits.reserve();
    int slots = 1;
    for (Exchange other : all) {
      if (other == refused || other.beganAt > refused.answeredAt) {
        continue;
      }
      boolean isMet = other.doneAt > refused.beganAt;
      if (user(other).equals(user(refused))) {
        // What another limit refuses, or what does not come to the service, is held for a moment.
        boolean isCharged = other.cost() != Cost.REFUSED && other.cost() != Cost.NOT_CHARGED;
        units += isCharged ? Math.max(limits.reserve(), most(other)) : heldAtMost(other, isMet);
      }
      boolean mayHaveSlot = other.cost() != Cost.REFUSED || isStored;
      slots += group(other).equals(group(refused)) && mayHaveSlot && isMet ? 1 : 0;
    }
    return units > limits.units() || limits.slots() > 0 && slots > limits.slots();
  }

  private long heldAtMost(Exchange uncharged, boolean isMet) {
    boolean mayHold = uncharged.cost() != Cost.REFUSED || isStored;
    return isMet && mayHold ? limits.reserve() : 0;
  }

  private void checkUsed(String user, List<Exchange> all, boolean isExact, long used) {
    long least = 0;
    long most = 0;
    for (Exchange exchange : all) {
      if (user(exchange).equals(user)) {
        least += least(exchange);
        most += most(exchange);
      }
    }
    // A sidecar tells no more than a whole limit, of which a bucket has earned a part of a unit.
    least = Math.min(least, limits.units()) - (limits.algorithm().equals("fixed-window") ? 0 : 1);
    check(
        least <= used && (used <= most || !isExact),
        user + " has used " + used + " (expected: " + least + " to " + most + ')');
  }

  /** Units that a request costs at least. */
  private long least(Exchange of) {
    long known = known(of);
    if (known >= 0) {
      return known;
    }
    return of.arrivals == 0 || limits.told() == Told.BYTES
        ? 0
        : Math.min(told(of), Math.min(limits.reserve(), limits.missing()));
  }

  /** Units that a request costs at most. */
  private long most(Exchange of) {
    long known = known(of);
    return known >= 0 ? known : Math.max(told(of), Math.max(limits.reserve(), limits.missing()));
  }

  /** What its response tells, or costs if it tells nothing. */
  private long told(Exchange of) {
    long cost = limits.cost(of.costs, of.hasTrailers(), of.contentBytes());
    return cost < 0 ? limits.missing() : cost;
  }

  /** Units that a request costs; negative if what was seen does not say it. */
  private long known(Exchange of) {
    if (of.cost() == Cost.REFUSED || of.cost() == Cost.NOT_CHARGED) {
      return 0;
    }
    boolean isSaid = limits.cost(of.costs, of.hasTrailers(), of.contentBytes()) >= 0;
    boolean isInHead = limits.told() == Told.HEADER || limits.told() == Told.STATUS;
    // Who leaves a response that tells nothing costs what was held.
    boolean isKnown = of.isDone && (isSaid || of.deed == Deed.ANSWERS) || isInHead && isSaid;
    return of.isOfService() && isKnown ? told(of) : -1;
  }

  private static void check(boolean holds, String fault) {
    if (!holds) {
      throw new AssertionError(fault);
    }
  }
}
