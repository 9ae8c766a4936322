package dev.weir.bench.torture.judge;

import dev.weir.bench.torture.plan.ClientPlan;
import java.util.List;

/**
 * A request of an honest client, and what became of it. Times are of {@link System#nanoTime}.
 *
 * @param number no other request has it.
 * @param rule the number of its rule.
 * @param identities what its three fields say.
 * @param told the cost that it says itself, if sidecars trust it; 0 for none.
 * @param retryOf the number of the request whose idempotency key it has, maybe its own; {@link
 *     #NO_KEY} for none.
 * @param sidecar which of the sidecars was asked.
 * @param life which process that was: another one after each start.
 * @param sentNs before its first byte was sent.
 * @param answeredNs after the last byte of its answer had come, or when it failed.
 * @param note what is wrong with the answer; empty if nothing is.
 */
public record Asked(
    long number,
    ClientPlan.Kind kind,
    int rule,
    List<Integer> identities,
    int told,
    long retryOf,
    int sidecar,
    int life,
    long sentNs,
    long answeredNs,
    Outcome outcome,
    String note) {
  /** Has no idempotency key. */
  public static final long NO_KEY = -1;

  /** The outcome of a request. */
  public enum Outcome {
    /** The request was admitted, and its response says so. */
    PASSED,
    /** 429, or what a protocol says for it. */
    REFUSED,
    /** 503 or what a protocol says for it: the store did not decide. */
    UNDECIDED,
    /** Another answer, or none. */
    FAILED,
    /** There was no connection to send it on. */
    NOT_SENT,
    /** The answer is not what the service sent. */
    SPOILT
  }
}
