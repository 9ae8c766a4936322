package dev.weir.bench.store;

/**
 * One measurement.
 *
 * @param perSecond decisions.
 * @param serverUs processor time of the server per decision.
 * @param clientUs processor time of the thread that asked, per decision.
 * @param commandP99Us time of one command in the server; NaN where it does not say.
 */
record Sample(
    long decisions,
    double perSecond,
    double serverUs,
    double clientUs,
    double commandP99Us,
    long errors) {}
