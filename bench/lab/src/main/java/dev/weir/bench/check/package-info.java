/**
 * What one check costs: each algorithm beside the least it could cost, and beside other libraries.
 * All benches share {@link dev.weir.bench.check.Keys}, so their rows differ in nothing else.
 */
package dev.weir.bench.check;
