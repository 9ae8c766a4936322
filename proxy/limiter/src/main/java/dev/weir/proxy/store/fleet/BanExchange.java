package dev.weir.proxy.store.fleet;

import dev.weir.proxy.log.Incident;
import dev.weir.proxy.store.map.Partitions;
import dev.weir.proxy.store.map.StoreCalls;
import dev.weir.scripts.LuaScript;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the store of the bans that began here, and learns of those of other sidecars of the
 * service, twice a second. Both in one script, by the thread that counts the sidecars; nobody waits
 * for it. While the store is away bans hold where they are known, and are told later. What is told
 * twice, or late, changes nothing, so a call without an answer is repeated.
 */
public final class BanExchange {
  public static final long INTERVAL_MS = 500;

  /** The most bans that the store keeps for a service. */
  static final int MOST_KEPT = 100_000;

  /** The most bans that one call tells of, and learns of: requests of others wait for it. */
  private static final int MOST_OF_CALL = 100;

  /** The most calls of one turn, but for the first. */
  private static final int MOST_CALLS = 10;

  /** Between two calls, for the requests of others. */
  private static final long BETWEEN_CALLS_NS = TimeUnit.MILLISECONDS.toNanos(1);

  /** The number of fields that a reply has of each ban. */
  private static final int FIELDS = 4;

  /** After a fault, so that other work of the thread does not wait. */
  private static final long PAUSE_NS = TimeUnit.SECONDS.toNanos(2);

  private static final Logger LOG = LoggerFactory.getLogger(BanExchange.class);

  private final StoreCalls calls;
  private final BanBook bans;
  private final LongSupplier clock;
  private final byte[][] keys;

  /** Up to here all bans of the store are known; 0 for none. */
  private String known = "0";

  /** Whether all bans of the store were known once. */
  private boolean hasReadAll;

  private SocketAddress lastServer;
  private long notBeforeNs;

  /** Bans cannot be exchanged. */
  private final Incident alone =
      new Incident(
          LOG,
          "redis: exchanging bans with other sidecars",
          "bans hold where they began, and are told later",
          "exchanges again",
          Incident.Ends.BY_WORD);

  /**
   * @param service whose sidecars share bans; empty if it is not set.
   * @param clock the time of the process, in nanoseconds.
   */
  public BanExchange(StoreCalls calls, String service, BanBook bans, LongSupplier clock) {
    this.calls = calls;
    this.bans = bans;
    this.clock = clock;
    this.notBeforeNs = clock.getAsLong();
    this.keys =
        new byte[][] {key("bans", service), key("ban-changes", service), key("ban-ends", service)};
  }

  private static byte[] key(String name, String service) {
    String tag = new String(Partitions.tag(FleetMembers.PARTITION), StandardCharsets.US_ASCII);
    return ascii("rl:" + tag + ":" + name + (service.isEmpty() ? "" : ":" + service));
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /**
   * Tells of some bans and learns of some, in short calls. The first time it learns of all, so that
   * a sidecar knows them before it serves; later a thousand at a time, as a fleet that reads all
   * again must not take the store's time from requests.
   */
  public void exchange(SocketAddress server) {
    if (!bans.isOpen() || clock.getAsLong() < notBeforeNs) {
      return;
    }
    if (!server.equals(lastServer)) {
      known = "0"; // it may have lost what the last one had
      lastServer = server;
    }
    try {
      boolean isMore = true;
      for (int calls = 0; isMore && (calls < MOST_CALLS || !hasReadAll); calls++) {
        if (calls > 0) {
          LockSupport.parkNanos(BETWEEN_CALLS_NS);
        }
        List<BanBook.News> told = bans.untold(MOST_OF_CALL, clock.getAsLong());
        int learned = call(server, told);
        bans.told();
        hasReadAll |= learned < MOST_OF_CALL;
        isMore = learned == MOST_OF_CALL || told.size() == MOST_OF_CALL;
      }
      alone.ended();
    } catch (IOException fault) {
      known = "0";
      calls.drop(server);
      notBeforeNs = clock.getAsLong() + PAUSE_NS;
      alone.noticed(fault.getMessage());
    }
  }

  /** Returns how many bans were learned. */
  private int call(SocketAddress server, List<BanBook.News> told) throws IOException {
    List<byte[]> arguments = new ArrayList<>();
    arguments.add(ascii(known));
    arguments.add(ascii(Integer.toString(MOST_OF_CALL)));
    arguments.add(ascii(Integer.toString(MOST_KEPT)));
    for (BanBook.News news : told) {
      BanBook.Ban ban = news.ban();
      arguments.add(ascii(ban.name()));
      arguments.add(ascii(Long.toString(ban.leftMs())));
      arguments.add(ascii(Integer.toString(ban.times())));
      arguments.add(ascii(Long.toString(ban.keptMs())));
      arguments.add(ascii(Long.toString(news.agoMs())));
    }
    byte[][] texts = arguments.toArray(byte[][]::new);
    long askedNs = clock.getAsLong();
    List<Object> reply = calls.await(server, calls.script(server, LuaScript.BANS, keys, texts));
    known = text(reply.get(0));
    for (int i = 1; i + FIELDS <= reply.size(); i += FIELDS) {
      long times = number(reply.get(i + 2));
      bans.learned(
          new BanBook.Ban(
              text(reply.get(i)), number(reply.get(i + 1)), (int) times, number(reply.get(i + 3))),
          askedNs);
    }
    return (reply.size() - 1) / FIELDS;
  }

  private static long number(Object value) {
    return (Long) value;
  }

  private static String text(Object value) {
    return new String((byte[]) value, StandardCharsets.US_ASCII);
  }
}
