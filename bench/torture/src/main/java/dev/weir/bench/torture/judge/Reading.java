package dev.weir.bench.torture.judge;

import java.util.List;

/**
 * What a sidecar said of an identity's budgets when all traffic had ended.
 *
 * @param used units that count, by the rule's limits in their order.
 */
public record Reading(
    int rule, List<Integer> identities, int sidecar, int life, long atNs, List<Long> used) {}
