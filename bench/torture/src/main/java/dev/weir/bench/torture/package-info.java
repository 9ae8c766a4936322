/**
 * The torture run: random rules, clients, hostile clients and faults against sidecars as processes,
 * and judges that look at them from outside. {@code docs/design/measuring.md} says why.
 */
package dev.weir.bench.torture;
