/**
 * What threads may see of a limit table when they meet, on real processors and compilers
 * (jcstress). Every test names what no run may ever show as FORBIDDEN.
 */
package dev.weir.bench.stress;
