package dev.weir.proxy.rig;

import dev.weir.algorithms.SipHash;
import dev.weir.proxy.store.map.Partitions;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongFunction;
import java.util.function.LongPredicate;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Requests at all times on all sidecars of a fleet: {@link #PER_USER} for each user, one user after
 * the other, until it is stopped. Every request must get an answer.
 */
public final class FleetLoad implements AutoCloseable {
  /** Requests of each user. */
  public static final int PER_USER = 24;

  private static final int CLIENTS = 16;

  /** Between two requests of a client: without it, clients take what the fleet could have. */
  private static final long PAUSE_NS = 4_000_000;

  private static final SipHash SPREAD = new SipHash(0, 0);

  private final LongFunction<String> names;
  private final ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
  private final List<Future<?>> running = new ArrayList<>();
  private final List<RawClient> clients;
  private final AtomicLong next = new AtomicLong();
  private final Map<Integer, AtomicLong> statuses = new ConcurrentHashMap<>();
  private final Map<Long, AtomicIntegerArray> allowed = new ConcurrentHashMap<>();
  private volatile long last = Long.MAX_VALUE;

  /**
   * @param names the user of each number, from 0.
   */
  public FleetLoad(Fleet fleet, LongFunction<String> names) throws IOException {
    this.names = names;
    clients = fleet.connect(CLIENTS);
    for (RawClient client : clients) {
      running.add(
          threads.submit(
              () -> {
                ask(client);
                return null;
              }));
    }
  }

  private void ask(RawClient client) throws IOException {
    for (long number = next.getAndIncrement(); number < last; number = next.getAndIncrement()) {
      long user = number / PER_USER;
      int status = client.send(Fleet.get(names.apply(user))).read().status();
      statuses.computeIfAbsent(status, of -> new AtomicLong()).incrementAndGet();
      AtomicIntegerArray count = allowed.computeIfAbsent(user, of -> new AtomicIntegerArray(1));
      if (status == 200) {
        count.incrementAndGet(0);
      }
      LockSupport.parkNanos(PAUSE_NS);
    }
  }

  /** The user that is asked for now, or the next. */
  public long user() {
    return next.get() / PER_USER;
  }

  /** Waits until that many more users have been asked for. */
  public void await(int users) throws InterruptedException {
    long end = user() + users;
    long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (user() < end && System.nanoTime() - deadlineNs < 0) {
      TimeUnit.MILLISECONDS.sleep(1);
    }
    if (user() < end) {
      throw new AssertionError("no answers: at " + user() + ", of " + end);
    }
  }

  /** Waits until a hundred users in a row got no answer but the store's; returns the first. */
  public long awaitExact() throws InterruptedException {
    long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    long undecided = count(503);
    long from = user() + 1;
    while (user() < from + 100) {
      if (System.nanoTime() - deadlineNs > 0) {
        throw new AssertionError("undecided: " + statuses);
      }
      TimeUnit.MILLISECONDS.sleep(1);
      if (count(503) > undecided) {
        undecided = count(503);
        from = user() + 1;
      }
    }
    return from;
  }

  /** Ends with the present user; fails if a request got no answer. */
  public FleetLoad stop() throws Exception {
    last = (next.get() / PER_USER + 2) * PER_USER;
    for (Future<?> client : running) {
      client.get(60, TimeUnit.SECONDS);
    }
    return this;
  }

  public long count(int status) {
    AtomicLong count = statuses.get(status);
    return count == null ? 0 : count.get();
  }

  /** By how often they passed, the number of those users. */
  public Map<Integer, Integer> passed(LongPredicate which) {
    Map<Integer, Integer> users = new TreeMap<>();
    allowed.forEach(
        (user, count) -> {
          // Behind the last, some may have been asked for a few times only.
          if (user < last / PER_USER && which.test(user)) {
            users.merge(count.get(0), 1, Integer::sum);
          }
        });
    return users;
  }

  /** The same of all. */
  public Map<Integer, Integer> passed() {
    return passed(user -> true);
  }

  @Override
  public void close() throws IOException {
    last = 0;
    threads.shutdownNow();
    for (RawClient client : clients) {
      client.close();
    }
  }

  /** The partition of a user, by the key x-user. */
  public static int partition(String user) {
    byte[] name = (":header.x-user:" + user).getBytes(StandardCharsets.US_ASCII);
    return Partitions.of(SPREAD.hash(new UnsafeBuffer(name), 0, name.length));
  }

  /** The user of a partition with that number: another for each. */
  public static String userOf(int partition, long number) {
    for (int i = 0; ; i++) {
      String user = "u" + number + '-' + i;
      if (partition(user) == partition) {
        return user;
      }
    }
  }
}
