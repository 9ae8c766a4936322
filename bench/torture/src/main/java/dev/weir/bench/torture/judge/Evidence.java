package dev.weir.bench.torture.judge;

import dev.weir.bench.torture.plan.Plan;
import java.util.List;
import java.util.Map;

/**
 * All that was seen of an episode.
 *
 * @param startNs of {@link System#nanoTime}, before the first request.
 * @param epochNs Unix time at {@code startNs}.
 * @param served by the numbers of requests.
 * @param passedUndecided how many requests {@code on-store-failure} let pass, over all processes,
 *     at most; -1 if that is not known.
 */
public record Evidence(
    Plan plan,
    long startNs,
    long epochNs,
    List<Asked> asked,
    Map<Long, Served> served,
    List<Happening> happenings,
    List<Regime> regimes,
    List<Pause> pauses,
    long passedUndecided,
    List<ProcessEnd> ends) {
  /** Milliseconds since the start, for people. */
  long ms(long ns) {
    return (ns - startNs) / 1_000_000;
  }
}
