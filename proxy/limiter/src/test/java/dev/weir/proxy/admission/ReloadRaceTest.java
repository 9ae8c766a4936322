package dev.weir.proxy.admission;

import static dev.weir.proxy.admission.HashOnly.PLAIN;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.weir.proxy.rule.RuleSet;
import dev.weir.proxy.rule.spec.Algorithm;
import dev.weir.proxy.rule.spec.Mode;
import dev.weir.proxy.rule.spec.Rate;
import dev.weir.proxy.rule.spec.RuleSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Changes of limits while event loops decide, each of which learns of them when it can. */
class ReloadRaceTest {
  private static final int LOOPS = 3;
  private static final int RELOADS = 30;
  private static final int FIRST_LIMIT = 10;
  private static final int KEYS = 5;
  private static final long NOW = TimeUnit.HOURS.toNanos(48) + 1;

  private final LimitTables tables =
      LimitTables.allocate(new AdmissionSettings(1000, 1000, 0), 128);

  @AfterEach
  void closeTables() {
    tables.close();
  }

  private static RuleSet next(RuleSet previous, Algorithm algorithm, int limit) {
    List<RuleSpec> specs = new ArrayList<>();
    for (Mode mode : Mode.values()) {
      RuleSpec.Builder rule = RuleSpec.builder(mode.toString()).mode(mode).algorithm(algorithm);
      specs.add(rule.rate(Rate.parse(limit + "/1h")).build());
    }
    return RuleSet.compile(specs, false, previous, 0);
  }

  private static long identity(int key) {
    return 0x9E37_79B9_7F4A_7C15L * (key + 1);
  }

  /** An event loop: a gate, rules, and the rules that it has been told of and has not seen yet. */
  private final class Loop implements Runnable {
    private final LocalGate gate = new LocalGate(tables);
    private final Charges charges = new Charges();
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final int[] passed = new int[KEYS];
    private final AtomicReference<Throwable> failure;
    private volatile boolean stopped;
    private volatile long asked;
    private RuleSet rules;
    private boolean allowed;

    Loop(RuleSet rules, AtomicReference<Throwable> failure) {
      this.rules = rules;
      this.failure = failure;
    }

    @Override
    public void run() {
      try {
        for (int key = 0; !stopped; key = (key + 1) % KEYS) {
          Runnable task = tasks.poll();
          if (task != null) {
            task.run();
          }
          ask(rules, key);
          asked++;
          Thread.yield();
        }
      } catch (Throwable e) {
        failure.compareAndSet(null, e);
      }
    }

    /**
     * Half of the keys as a rule's own budgets, the others as its share while the store is away.
     */
    void ask(RuleSet by, int key) {
      boolean asShare = key % 2 == 1;
      charges.set(by.rules().get(asShare ? 1 : 0), group -> new HashOnly(identity(key)), PLAIN);
      allowed = gate.decide(7, charges, asShare, NOW).allowed();
      passed[key] += allowed ? 1 : 0;
    }
  }

  /** Publishes rules as a sidecar does. */
  private static void publish(RuleSet rules, List<Loop> loops) {
    rules.succeed();
    AtomicInteger left = new AtomicInteger(loops.size());
    for (Loop loop : loops) {
      loop.tasks.add(
          () -> {
            loop.rules = rules;
            if (left.decrementAndGet() == 0) {
              rules.completeAdoption();
            }
          });
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void noMorePassThanTheLastLimitHoweverOftenItGrows(boolean oneByOne) throws Exception {
    Algorithm[] algorithms = {
      Algorithm.GCRA,
      Algorithm.SLIDING_LOG,
      Algorithm.FIXED_WINDOW,
      Algorithm.GCRA,
      Algorithm.SLIDING_COUNTER,
      Algorithm.BUCKET_RING,
    };
    AtomicReference<Throwable> failure = new AtomicReference<>();
    RuleSet rules = next(RuleSet.EMPTY, Algorithm.GCRA, FIRST_LIMIT);
    List<Loop> loops = new ArrayList<>();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < LOOPS; i++) {
      loops.add(new Loop(rules, failure));
      threads.add(new Thread(loops.get(i)));
    }
    threads.forEach(Thread::start);
    int limit = FIRST_LIMIT;
    for (int reload = 1; reload <= RELOADS; reload++) {
      RuleSet changed = next(rules, algorithms[reload % algorithms.length], ++limit);
      publish(changed, loops);
      rules = changed;
      // Close upon each other, or each after all loops have asked under the one before.
      long[] target = loops.stream().mapToLong(loop -> loop.asked + 5).toArray();
      for (int i = 0; oneByOne && i < LOOPS; i++) {
        while (loops.get(i).asked < target[i] && failure.get() == null) {
          Thread.yield();
        }
      }
    }
    for (Loop loop : loops) {
      loop.stopped = true;
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertEquals(null, failure.get());
    Loop last = loops.get(0);
    for (int key = 0; key < KEYS; key++) {
      for (int i = 0; i < 2 * limit; i++) {
        last.ask(rules, key);
      }
      int total = 0;
      for (Loop loop : loops) {
        total += loop.passed[key];
      }
      assertEquals(limit, total, "key " + key);
    }
  }

  @Test
  void aRequestThatWasMatchedBeforeAReloadIsDecidedByTheNewRules() {
    RuleSet first = next(RuleSet.EMPTY, Algorithm.GCRA, 10);
    Loop loop = new Loop(first, new AtomicReference<>());
    for (int i = 0; i < 10; i++) {
      loop.ask(first, 0);
      loop.ask(first, 1);
    }
    RuleSet second = next(first, Algorithm.FIXED_WINDOW, 12);
    RuleSet third = next(second, Algorithm.GCRA, 10);
    second.succeed();
    for (int i = 0; i < 10; i++) {
      loop.ask(first, 0);
      loop.ask(first, 1);
    }
    assertEquals(12, loop.passed[0]);
    assertEquals(12, loop.passed[1]);
    third.succeed();
    for (RuleSet set : List.of(third, first, second)) {
      loop.ask(set, 0);
      assertFalse(loop.allowed);
      loop.ask(set, 1);
      assertFalse(loop.allowed);
    }
  }

  @Test
  void rulesThatAreCompiledAndNotPublishedChangeNothing() {
    RuleSet first = next(RuleSet.EMPTY, Algorithm.GCRA, 10);
    next(first, Algorithm.GCRA, 1);
    Loop loop = new Loop(first, new AtomicReference<>());
    for (int i = 0; i < 20; i++) {
      loop.ask(first, 0);
    }
    assertEquals(10, loop.passed[0]);
  }
}
