package dev.weir.proxy.downstream;

import dev.weir.proxy.request.Admission;
import dev.weir.proxy.request.Asked;
import dev.weir.proxy.request.Question;
import dev.weir.proxy.request.QuotaPolicy;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.ReportedCost;
import dev.weir.proxy.request.RequestEnd;
import dev.weir.proxy.request.Verdict;
import dev.weir.proxy.request.VerdictListener;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Verdicts in the hand of a test: at once, or when it says, with what they cost counted. */
public final class HeldAdmission implements Admission {
  private static final QuotaPolicy POLICY = new QuotaPolicy("held", 10, 60);

  private final Verdict verdict = new Verdict();
  private final Map<Long, VerdictListener> waiting = new HashMap<>();
  private final Asked result = new Asked();
  private long tickets;
  private int holdings;

  /** Whether verdicts come late, by {@link #decide}. */
  public boolean late;

  /** Why verdicts that are known at once refuse; null if they allow. */
  public RefusalReason refusal;

  /** Whether requests from now on pay by their messages. */
  public boolean countsMessages;

  /** Requests that a verdict was asked for. */
  public int asked;

  /** Requests that were charged, less those whose charge went back. */
  public int charged;

  /** The request that was decided last, by its number from 0. */
  private int last;

  /** The requests whose charge went back, by their numbers. */
  public final List<Integer> givenBack = new ArrayList<>();

  /** How requests have ended, each with its status and bytes. */
  public final List<String> ends = new ArrayList<>();

  /** Whether the service received the request that ended last. */
  public boolean isLastForwarded;

  /** The costs of requests that pass from now on, which hold something then; null for none. */
  public ReportedCost[] costs;

  /** Holdings that were not brought back, numbered from 0 as they were made. */
  public final Set<Integer> holding = new HashSet<>();

  /**
   * The ends that brought a holding back, each by its number, how the request ended, and its costs,
   * of which a dash was not reported.
   */
  public final List<String> settled = new ArrayList<>();

  @Override
  public Asked ask(Question question, VerdictListener asker, long nowNs) {
    last = asked++;
    if (late) {
      charged++;
      waiting.put(tickets, asker);
      return result.awaited(tickets++).countsMessages(countsMessages);
    }
    charged += refusal == null ? 1 : 0;
    return result.settled(verdict(refusal)).countsMessages(countsMessages);
  }

  private Verdict verdict(RefusalReason reason) {
    if (reason != null) {
      return verdict.refuse(reason, POLICY, 10, 0, 1, TimeUnit.SECONDS.toNanos(3));
    }
    verdict.allow(POLICY, 10, 9, TimeUnit.SECONDS.toNanos(6));
    if (costs != null) {
      holding.add(holdings);
      verdict.holds(holdings++, costs);
    }
    return verdict;
  }

  /**
   * Tells the verdict of the request that asked as the n-th, from 0; of one that ended, nothing.
   */
  public void decide(long ticket, RefusalReason reason) {
    VerdictListener asker = waiting.remove(ticket);
    if (asker != null) {
      last = (int) ticket;
      asker.decided(ticket, verdict(reason));
    }
  }

  /** How many verdicts are awaited. */
  public int waiting() {
    return waiting.size();
  }

  @Override
  public long dueNs(long ticket) {
    return NOT_HELD;
  }

  @Override
  public int keep() {
    return last;
  }

  @Override
  public void giveBack(int kept) {
    charged--;
    givenBack.add(kept);
  }

  @Override
  public void letStand(int kept) {
    // It stays counted.
  }

  @Override
  public void ended(long ticket, RequestEnd end) {
    if (ticket != SETTLED) {
      waiting.remove(ticket);
    }
    isLastForwarded = end.forwardedNs() != RequestEnd.NEVER;
    ends.add(end.how() + " " + end.status() + " " + end.requestBytes() + " " + end.responseBytes());
    if (end.holding() != Verdict.NOTHING_HELD) {
      if (!holding.remove(end.holding())) {
        throw new AssertionError("held nothing: request " + end.holding());
      }
      String late = end.isClientLate() ? " late" : "";
      settled.add(end.holding() + " " + end.how() + " " + costs(end) + late);
    }
  }

  private String costs(RequestEnd end) {
    return IntStream.range(0, costs.length)
        .mapToLong(end::costReported)
        .mapToObj(units -> units == RequestEnd.NOT_REPORTED ? "-" : Long.toString(units))
        .collect(Collectors.joining(" "));
  }
}
