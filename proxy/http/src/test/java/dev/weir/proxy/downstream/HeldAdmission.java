package dev.weir.proxy.downstream;

import dev.weir.proxy.request.Admission;
import dev.weir.proxy.request.Asked;
import dev.weir.proxy.request.Question;
import dev.weir.proxy.request.QuotaPolicy;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.RequestEnd;
import dev.weir.proxy.request.Verdict;
import dev.weir.proxy.request.VerdictListener;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Verdicts in the hand of a test: at once, or when it says, with what they cost counted. */
public final class HeldAdmission implements Admission {
  private static final QuotaPolicy POLICY = new QuotaPolicy("held", 10, 60);

  private final Verdict verdict = new Verdict();
  private final Map<Long, VerdictListener> waiting = new HashMap<>();
  private long tickets;
  private final Asked result = new Asked();

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
    return reason == null
        ? verdict.allow(POLICY, 10, 9, TimeUnit.SECONDS.toNanos(6))
        : verdict.refuse(reason, POLICY, 10, 0, 1, TimeUnit.SECONDS.toNanos(3));
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
    ends.add(end.how() + " " + end.status() + " " + end.requestBytes() + " " + end.responseBytes());
  }
}
