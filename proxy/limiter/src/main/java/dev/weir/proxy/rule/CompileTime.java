package dev.weir.proxy.rule;

/**
 * The time at which rules are compiled, by the clock of the checks.
 *
 * @param unixEpochNs 1970-01-01T00:00Z: windows of the clock and the calendar are counted from it.
 */
record CompileTime(long unixEpochNs, long nowNs) {}
