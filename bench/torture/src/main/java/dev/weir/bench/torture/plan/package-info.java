/** What an episode does, drawn from its seed alone. Values; nothing here starts anything. */
package dev.weir.bench.torture.plan;
