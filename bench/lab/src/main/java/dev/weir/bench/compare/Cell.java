package dev.weir.bench.compare;

/** One comparison: all rounds of all contenders under one traffic. */
record Cell(Outcome outcome, Traffic traffic) {}
