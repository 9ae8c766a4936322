/**
 * The load harness: requests at the times that a schedule names, whatever the target does, and
 * latencies from those times. What an event loop does while a run is on is hot path: no allocation
 * per request, no lock.
 */
package dev.weir.bench.load;
