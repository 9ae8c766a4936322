package dev.weir.bench.store;

/**
 * One way to ask for decisions.
 *
 * @param id for {@code --only}.
 */
record Variant(String id, String label, Shape shape, Traffic traffic) {}
