/**
 * Servers that answer as cheaply as they can, so that what is measured against them is the harness.
 */
package dev.weir.bench.origin;
