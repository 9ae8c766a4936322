package dev.weir.bench.check;

import static dev.weir.bench.check.Keys.BATCH;

import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * The same decision with a library of the JVM's: from an identity to its limiter in a map, and from
 * there to allowed or refused. The identity is a number here, which costs next to nothing to hash;
 * a string would cost more.
 */
@Fork(
    value = 3,
    jvmArgs = {"--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED", "-Xms4g", "-Xmx4g"})
public class LibraryBench extends CheckBench {
  /** A limiter for each key. */
  @State(Scope.Benchmark)
  public abstract static class Limiters {
    @Param Library library;

    private final ConcurrentHashMap<Long, Object> byKey = new ConcurrentHashMap<>();
    private final Function<Long, Object> maker = key -> create();

    abstract Object create();

    @Setup
    public void fill(Keys keys) {
      for (int id = 0; id < keys.keys; id++) {
        ask(id);
      }
    }

    final boolean ask(int id) {
      return library.ask(byKey.computeIfAbsent((long) id, maker));
    }
  }

  /** Nothing is refused. */
  public static class Roomy extends Limiters {
    @Override
    Object create() {
      return library.roomy();
    }
  }

  /** Everything is. */
  public static class Spent extends Limiters {
    @Override
    Object create() {
      return library.tight();
    }
  }

  @Benchmark
  @OperationsPerInvocation(BATCH)
  public int allowed(Keys keys, Asker asker, Roomy limiters) {
    return ask(keys, asker, limiters);
  }

  @Benchmark
  @OperationsPerInvocation(BATCH)
  public int refused(Keys keys, Asker asker, Spent limiters) {
    return ask(keys, asker, limiters);
  }

  private static int ask(Keys keys, Asker asker, Limiters limiters) {
    int count = 0;
    final int start = asker.nextBatch();
    for (int i = start; i < start + BATCH; i++) {
      count += limiters.ask(keys.id(i)) ? 1 : 0;
    }
    return asker.tally(count);
  }
}
