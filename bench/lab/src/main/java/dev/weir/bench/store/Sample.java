package dev.weir.bench.store;

/**
 * One measurement.
 *
 * @param perSecond decisions.
 * @param serverUs processor time of the server per decision.
 * @param clientUs processor time of the thread that asked, per decision.
 * @param commandP99Us time of one command in the server; NaN where it does not say.
 * @param p50Us of what was timed: a decision, a pipeline or a batch.
 * @param p99Us the 99th percentile of what {@code p50Us} is the median of.
 */
record Sample(
    long decisions,
    double perSecond,
    double serverUs,
    double clientUs,
    double commandP99Us,
    double p50Us,
    double p99Us,
    long errors) {}
