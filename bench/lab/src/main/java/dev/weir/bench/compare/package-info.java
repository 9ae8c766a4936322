/**
 * Weir beside others that limit, in one run: what is compared is started here, loaded in turns, and
 * ended.
 */
package dev.weir.bench.compare;
