/**
 * Threads that meet in a limit table or at a hand of leases, on real processors and compilers
 * (jcstress). Every test names what no run may ever show as FORBIDDEN.
 */
package dev.weir.bench.stress;
