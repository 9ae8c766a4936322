/** Measurements in rounds: how many there are, the figure over them, and where the report goes. */
package dev.weir.bench.rounds;
