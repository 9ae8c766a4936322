package dev.weir.bench.compare;

/** What is compared at a time: all rounds of all contenders. */
record Cell(Outcome outcome, Traffic traffic) {}
