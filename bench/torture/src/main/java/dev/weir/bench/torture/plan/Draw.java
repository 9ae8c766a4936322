package dev.weir.bench.torture.plan;

import java.util.List;
import java.util.SplittableRandom;

/** Draws by a seed: the same seed gives the same values in the same order. Owned by one thread. */
public final class Draw {
  private final SplittableRandom random;

  public Draw(long seed) {
    this(new SplittableRandom(seed));
  }

  private Draw(SplittableRandom random) {
    this.random = random;
  }

  /** A source of its own: what is drawn of it changes nothing that is drawn of this one. */
  public Draw split() {
    return new Draw(random.split());
  }

  /** One of so many, from 0. */
  public int below(int bound) {
    return random.nextInt(bound);
  }

  /** From the first to the last, both included. */
  public long between(long first, long last) {
    return random.nextLong(first, last + 1);
  }

  /** From the first to the last, small values as often as large ones, by their logarithms. */
  public long spread(long first, long last) {
    return Math.round(
        Math.exp(Math.log(first) + random.nextDouble() * Math.log((double) last / first)));
  }

  /** True in so many of a hundred cases. */
  public boolean chance(int percent) {
    return random.nextInt(100) < percent;
  }

  public <T> T of(List<T> values) {
    return values.get(random.nextInt(values.size()));
  }

  @SafeVarargs
  public final <T> T of(T... values) {
    return values[random.nextInt(values.length)];
  }
}
