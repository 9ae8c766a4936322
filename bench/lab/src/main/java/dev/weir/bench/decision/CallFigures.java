package dev.weir.bench.decision;

/**
 * What one server was in one round.
 *
 * @param callUs processor time of the server per call.
 * @param corePercent of the server's core, taken by the server; NaN where it has no core.
 * @param othersPercent of the server's core, taken by others meanwhile; NaN where it has no core.
 * @param p99Ms from when calls were due.
 * @param sentP99Ms from when calls were sent.
 * @param failedPercent of all calls, with another status than 0 or none.
 */
record CallFigures(
    double perSecond,
    double callUs,
    double corePercent,
    double othersPercent,
    double residentMib,
    double p50Ms,
    double p99Ms,
    double sentP99Ms,
    double failedPercent) {}
