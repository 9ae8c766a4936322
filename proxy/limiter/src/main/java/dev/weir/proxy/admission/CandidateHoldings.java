package dev.weir.proxy.admission;

import static dev.weir.proxy.request.Verdict.NOTHING_HELD;

import dev.weir.proxy.request.Question;
import dev.weir.proxy.request.ReportedCost;
import dev.weir.proxy.request.RequestEnd;
import dev.weir.proxy.request.Verdict;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What a candidate holds for requests that go on by the rules in use: the end of each is told to
 * both. A request has one name for what it holds, and one array of costs that are read from its
 * exchange: the costs of the rules in use, then those that only the candidate reads.
 */
final class CandidateHoldings {
  /** Marks the name of a holding of the candidate alone, as the rules in use hold nothing. */
  private static final int ALONE = HoldingPool.MAX_NAME + 1;

  /** The place of a cost that is not read, as there are too many. */
  private static final int NOT_READ = -1;

  private static final int KNOWN_COUNT = 16;

  /** The costs of two rules, and the places of the candidate's among them. */
  private record Costs(
      ReportedCost[] now, ReportedCost[] then, ReportedCost[] both, int[] placesOfThen) {}

  private final AdmissionHandler candidate;
  private final RequestEnd end = new RequestEnd();
  private final Costs[] known = new Costs[KNOWN_COUNT];
  private int nextKnown;

  // Names of the holdings of the rules in use, names of the candidate's, and the costs of both, all
  // by the place of the former.
  private int[] names = {};
  private int[] beside = {};
  private Costs[] costs = {};

  CandidateHoldings(AdmissionHandler candidate) {
    this.candidate = candidate;
  }

  /**
   * Tells with a verdict of the rules in use that the candidate holds, too.
   *
   * @param now which lets the request pass.
   * @param name what the candidate holds.
   * @param then the costs that it needs; null for none.
   */
  void tell(Verdict now, int name, ReportedCost[] then) {
    if (now.holding() == NOTHING_HELD) {
      now.holds(name | ALONE, then);
      return;
    }
    int place = HoldingPool.place(now.holding());
    if (place >= names.length) {
      int length = Math.max(place + 1, 2 * names.length);
      names = Arrays.copyOf(names, length);
      beside = Arrays.copyOf(beside, length);
      costs = Arrays.copyOf(costs, length);
    }
    names[place] = now.holding();
    beside[place] = name;
    costs[place] = costs(now.reportedCosts(), then);
    now.holds(now.holding(), costs[place].both);
  }

  private Costs costs(ReportedCost[] now, ReportedCost[] then) {
    for (Costs each : known) {
      if (each != null && each.now == now && each.then == then) {
        return each;
      }
    }
    List<ReportedCost> both = new ArrayList<>(now == null ? List.of() : List.of(now));
    int[] places = new int[then == null ? 0 : then.length];
    for (int i = 0; i < places.length; i++) {
      if (!both.contains(then[i]) && both.size() < Question.MAX_COSTS) {
        both.add(then[i]);
      }
      places[i] = both.indexOf(then[i]);
    }
    Costs found =
        new Costs(now, then, both.isEmpty() ? null : both.toArray(ReportedCost[]::new), places);
    known[nextKnown++ % KNOWN_COUNT] = found;
    return found;
  }

  /** Whether the rules in use hold nothing by that name. */
  boolean isAlone(int name) {
    return name != NOTHING_HELD && (name & ALONE) != 0;
  }

  /** Tells the candidate the end of a request, if it holds anything for it. */
  void ended(RequestEnd told) {
    int name = told.holding();
    if (isAlone(name)) {
      begin(told, name ^ ALONE);
      for (int i = 0; i < Question.MAX_COSTS; i++) {
        end.costReported(told.costReported(i));
      }
      candidate.settle(end);
      return;
    }
    int place = HoldingPool.place(name);
    if (name == NOTHING_HELD || place >= names.length || names[place] != name) {
      return;
    }
    names[place] = NOTHING_HELD;
    begin(told, beside[place]);
    for (int of : costs[place].placesOfThen) {
      end.costReported(of == NOT_READ ? RequestEnd.NOT_REPORTED : told.costReported(of));
    }
    candidate.settle(end);
  }

  private void begin(RequestEnd told, int name) {
    end.set(told.how())
        .clientLate(told.isClientLate())
        .status(told.status())
        .bytes(told.requestBytes(), told.responseBytes())
        .times(told.forwardedNs(), told.headNs(), told.lastByteNs())
        .holding(name);
  }
}
