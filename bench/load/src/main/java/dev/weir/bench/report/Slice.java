package dev.weir.bench.report;

/**
 * Counts of a part of a run, usually a second. A request is counted as due where it should have
 * started, as sent where it did, and by its outcome where it ended: in the slice, not of it.
 *
 * @param startMs since the run began, without the warm-up.
 * @param endMs more than {@code startMs}.
 * @param due how many should have started; as many as were sent where nothing sets a rate.
 * @param passed answers that are neither of the next two.
 * @param refused answers that say that a limit is reached: 429, RESOURCE_EXHAUSTED.
 * @param failed answers 5xx and other gRPC errors, time-outs, and connections that broke.
 */
public record Slice(
    long startMs, long endMs, long due, long sent, long passed, long refused, long failed) {}
