package dev.weir.bench.store;

import dev.weir.bench.process.RedisServer;
import dev.weir.bench.process.TemporaryFolder;
import dev.weir.bench.rounds.RoundTable;
import dev.weir.bench.rounds.Rounds;
import dev.weir.proxy.records.Author;
import dev.weir.proxy.records.RecordName;
import dev.weir.proxy.records.RecordName.Kind;
import dev.weir.proxy.records.RecordStore;
import dev.weir.proxy.records.RecordStoreException;
import dev.weir.proxy.records.RecordVersion;
import dev.weir.proxy.records.RecordWrite;
import dev.weir.proxy.records.StaleRecordException;
import dev.weir.proxy.records.file.FileRecordStore;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/** Measures what records cost: heartbeats, changes, writes, and the opening of a folder of them. */
final class RecordsBench {
  private static final Author AUTHOR = new Author("bench", "127.0.0.1", "", "");
  private static final int WRITERS = 8;
  private static final int BATCH = 100;
  private static final int USERS_OF_WRITERS = 10_000;
  private static final int MOST_AT_ONCE = 10_000;
  private static final String RULE = "{\"id\":\"r%d\",\"limit\":\"%d/1m\"}";
  private static final String USER = "{\"tier\":\"premium\"}";

  /** Between two changes, so that they do not keep in step with heartbeats. */
  private static final int PAUSE_MS = 500;

  private final RedisServer server;
  private final Rounds rounds;

  RecordsBench(RedisServer server, Rounds rounds) {
    this.server = server;
    this.rounds = rounds;
  }

  /**
   * Heartbeats of a fleet in which nothing changes.
   *
   * @param share of a core that the server has used, all its threads.
   */
  record Beats(double perSecond, double serverUs, double share) {}

  /**
   * How long after its acknowledgement a change was on half of the hearts, and on the last, in ms.
   */
  record Change(double halfMs, double lastMs) {}

  /**
   * Writes with their entries in the audit.
   *
   * @param perSecond records.
   * @param refused calls that other writers have overtaken for so long that they were given up.
   */
  record Writes(double perSecond, double serverUs, long refused) {}

  /** Heartbeats of several fleets; each cell is the number of hearts. */
  RoundTable<Integer, Beats> beats(List<Integer> counts) throws IOException {
    final RoundTable<Integer, Beats> table = new RoundTable<>();
    for (int count : counts) {
      server.empty();
      try (Hearts hearts = new Hearts(server.address())) {
        write(hearts.writer(), 0);
        rounds.tell("%d hearts begin", count);
        hearts.add(count);
        pause(rounds.warmUpSeconds());
        for (int round = 1; round <= rounds.count(); round++) {
          rounds.tell("%d hearts: round %d of %d", count, round, rounds.count());
          final long beats = hearts.beats();
          final double us = server.processUs();
          final long startNs = System.nanoTime();
          pause(rounds.seconds());
          final double seconds = (System.nanoTime() - startNs) / 1e9;
          final double spentUs = server.processUs() - us;
          final double done = hearts.beats() - beats;
          table.add(
              count,
              count + " hearts",
              new Beats(done / seconds, spentUs / done, spentUs / 1e4 / seconds));
        }
      }
    }
    return table;
  }

  /** Changes of a rule, one after the other, each a round. */
  RoundTable<Integer, Change> changes(int count, int changes)
      throws IOException, RecordStoreException, StaleRecordException {
    server.empty();
    final RoundTable<Integer, Change> table = new RoundTable<>();
    try (Hearts hearts = new Hearts(server.address())) {
      final RecordStore writer = hearts.writer();
      hearts.add(count);
      hearts.awaitRules(write(writer, 0));
      for (int change = 1; change <= changes; change++) {
        pause(ThreadLocalRandom.current().nextInt(PAUSE_MS) / 1e3);
        final RecordVersion version = write(writer, change);
        final long acknowledgedNs = System.nanoTime();
        final double[] ms =
            Arrays.stream(hearts.awaitRules(version))
                .mapToDouble(each -> Math.max(0, (each - acknowledgedNs) / 1e6))
                .sorted()
                .toArray();
        table.add(count, count + " hearts", new Change(ms[(ms.length - 1) / 2], ms[ms.length - 1]));
      }
      rounds.tell("%d changes for %d hearts", changes, count);
    }
    return table;
  }

  private static RecordVersion write(RecordStore writer, int change) throws IOException {
    try {
      return writer.writeRules(null, List.of(rule(0, change)), AUTHOR);
    } catch (RecordStoreException | StaleRecordException e) {
      throw new IOException(e);
    }
  }

  private static RecordWrite rule(int number, long limit) {
    return new RecordWrite(
        new RecordName(Kind.RULE, "r" + number), null, String.format(RULE, number, limit + 1));
  }

  private static RecordWrite user(int number) {
    return new RecordWrite(new RecordName(Kind.USER, "user-" + number), null, USER);
  }

  /** One call of a writer; returns how many records it wrote. */
  private interface Call {
    int write(RecordStore store, int writer, long number)
        throws RecordStoreException, StaleRecordException;
  }

  /** Several writers at once, each with a connection, who write as fast as they are answered. */
  RoundTable<String, Writes> writes() throws IOException, InterruptedException {
    final RoundTable<String, Writes> table = new RoundTable<>();
    server.empty();
    try (Hearts hearts = new Hearts(server.address())) {
      final List<RecordStore> stores = new ArrayList<>();
      for (int i = 0; i < WRITERS; i++) {
        stores.add(hearts.writer());
      }
      for (int round = 1; round <= rounds.count(); round++) {
        rounds.tell("writes: round %d of %d", round, rounds.count());
        table.add("", "a rule each", measure(stores, RecordsBench::writeRule));
        table.add("", "a user each", measure(stores, (at, writer, n) -> writeUsers(at, n, 1)));
        table.add(
            "",
            BATCH + " users each",
            measure(stores, (at, writer, n) -> writeUsers(at, n, BATCH)));
      }
    }
    return table;
  }

  private static int writeRule(RecordStore store, int writer, long number)
      throws RecordStoreException, StaleRecordException {
    store.writeRules(null, List.of(rule(writer, number)), AUTHOR);
    return 1;
  }

  private static int writeUsers(RecordStore store, long number, int count)
      throws RecordStoreException {
    final List<RecordWrite> writes = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      writes.add(user((int) ((number * count + i) % USERS_OF_WRITERS)));
    }
    store.writeUsers(writes, AUTHOR);
    return count;
  }

  private Writes measure(List<RecordStore> stores, Call call)
      throws IOException, InterruptedException {
    final ExecutorService threads = Executors.newFixedThreadPool(stores.size());
    try {
      final double us = server.processUs();
      final long startNs = System.nanoTime();
      final long endNs = startNs + (long) (rounds.seconds() * 1e9);
      final LongAdder written = new LongAdder();
      final LongAdder refused = new LongAdder();
      final List<Future<?>> writers = new ArrayList<>();
      for (int i = 0; i < stores.size(); i++) {
        final int writer = i;
        writers.add(
            threads.submit(
                () -> {
                  for (long number = 0; System.nanoTime() - endNs < 0; number++) {
                    try {
                      written.add(call.write(stores.get(writer), writer, number));
                    } catch (RecordStoreException overtaken) {
                      refused.increment();
                    }
                  }
                  return null;
                }));
      }
      for (Future<?> each : writers) {
        each.get();
      }
      final double seconds = (System.nanoTime() - startNs) / 1e9;
      final double spentUs = server.processUs() - us;
      return new Writes(written.sum() / seconds, spentUs / written.sum(), refused.sum());
    } catch (ExecutionException fault) {
      throw new IOException(fault.getCause());
    } finally {
      threads.shutdown();
    }
  }

  /** The milliseconds in which a folder with so many users opens. */
  RoundTable<String, Double> opening(int users) throws IOException, RecordStoreException {
    final RoundTable<String, Double> table = new RoundTable<>();
    try (TemporaryFolder folder = new TemporaryFolder("weir-bench-records")) {
      final Path path = folder.path().resolve("records");
      rounds.tell("writing %d users to a folder", users);
      try (RecordStore store = open(path)) {
        for (int from = 0; from < users; from += MOST_AT_ONCE) {
          final List<RecordWrite> writes =
              IntStream.range(from, Math.min(users, from + MOST_AT_ONCE))
                  .mapToObj(RecordsBench::user)
                  .toList();
          store.writeUsers(writes, AUTHOR);
        }
      }
      for (int round = 1; round <= rounds.count(); round++) {
        final long startNs = System.nanoTime();
        try (RecordStore store = open(path)) {
          table.add("", users + " users", (System.nanoTime() - startNs) / 1e6);
          if (store.user("user-" + (users - 1)).isEmpty()) {
            throw new IOException("the last user is missing");
          }
        }
      }
    }
    return table;
  }

  private static RecordStore open(Path folder) throws RecordStoreException {
    return FileRecordStore.open(folder, Clock.systemUTC(), null);
  }

  private static void pause(double seconds) {
    final long endNs = System.nanoTime() + (long) (seconds * 1e9);
    for (long leftNs = endNs - System.nanoTime(); leftNs > 0; leftNs = endNs - System.nanoTime()) {
      LockSupport.parkNanos(Math.min(leftNs, TimeUnit.SECONDS.toNanos(1)));
    }
  }
}
