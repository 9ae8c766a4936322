package dev.weir.proxy.rule;

/**
 * When rules are compiled, on the clock of the checks.
 *
 * @param unixEpochNs 1970-01-01T00:00Z: the windows of the clock and the calendar are counted from
 *     there.
 */
record CompileTime(long unixEpochNs, long nowNs) {}
