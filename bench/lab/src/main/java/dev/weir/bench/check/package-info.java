/**
 * The cost of one check: each algorithm beside the least it could cost, and other libraries. All
 * benches share {@link dev.weir.bench.check.Keys}, so their rows differ in nothing else.
 */
package dev.weir.bench.check;
