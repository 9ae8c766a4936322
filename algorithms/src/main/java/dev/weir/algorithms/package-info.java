/**
 * Rate-limiting algorithms and the off-heap state they work on. Everything here takes the time as
 * an argument and knows longs, nothing else: no clock, socket, logger or setting.
 */
package dev.weir.algorithms;
