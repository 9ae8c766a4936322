/**
 * A fleet of sidecars as processes, over stores as processes: load that moves between them, faults,
 * and who judges what they let pass. What judges ({@link dev.weir.bench.fleet.WindowCheck}) shares
 * no code with what decides.
 */
package dev.weir.bench.fleet;
