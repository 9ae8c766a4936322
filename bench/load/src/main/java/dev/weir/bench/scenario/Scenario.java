package dev.weir.bench.scenario;

import java.util.List;

/**
 * The task of a run.
 *
 * @param name one line.
 * @param requests at least one.
 * @param thresholds none if nothing must hold.
 */
public record Scenario(
    String name,
    List<RequestSpec> requests,
    KeyChoice keys,
    Load load,
    ClientSettings client,
    List<Threshold> thresholds) {}
