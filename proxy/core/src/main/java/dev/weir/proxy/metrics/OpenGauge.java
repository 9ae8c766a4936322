package dev.weir.proxy.metrics;

/**
 * How many of what a counter counts have begun and not ended. Declared in {@link LoopFigures}.
 *
 * @param begun counts what begins.
 * @param endedWord the word of a loop's row that counts what ends.
 */
record OpenGauge(String name, String help, LoopCounter begun, int endedWord) {}
