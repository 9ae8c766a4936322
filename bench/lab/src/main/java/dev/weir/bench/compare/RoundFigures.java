package dev.weir.bench.compare;

/**
 * What one contender was in one round.
 *
 * @param perSecond requests answered.
 * @param requestUs processor time of the server's processes per request answered.
 * @param corePercent of the server's core, taken by the server; NaN where it has no core.
 * @param othersPercent of the server's core, taken by others meanwhile; NaN where it has no core.
 * @param p50Ms of the latencies, as {@link LoadRound.Answers#latencies} counts them.
 * @param wrongPercent of all requests, that failed or were answered otherwise than was meant.
 */
record RoundFigures(
    double perSecond,
    double requestUs,
    double corePercent,
    double othersPercent,
    double residentMib,
    double p50Ms,
    double p99Ms,
    double p999Ms,
    double wrongPercent) {}
