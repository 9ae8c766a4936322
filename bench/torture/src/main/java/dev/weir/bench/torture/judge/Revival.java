package dev.weir.bench.torture.judge;

/**
 * Requests of one rule after all traffic had ended and budgets had time to be whole again: asked
 * until one passed.
 *
 * @param passed whether one did.
 * @param last what became of the last one.
 */
public record Revival(int rule, int sidecar, boolean passed, long fromNs, long toNs, String last) {}
