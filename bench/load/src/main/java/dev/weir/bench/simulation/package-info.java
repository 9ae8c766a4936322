/**
 * A fleet in simulated time: what a limit lets pass, and what it asks of the store, before anybody
 * buys either. {@link dev.weir.bench.simulation.Simulation} runs sidecars with the rules of leases
 * that a real one has ({@code algorithms.lease}) over a store in memory that decides as the script
 * does ({@code algorithms.store}); between them are delays, losses, crashes and clocks that drift.
 *
 * <p>{@link dev.weir.bench.simulation.Uses} judge what was used, by what each limit promises of
 * every window, and share nothing with who decided. Nothing here is on the path of a request.
 */
package dev.weir.bench.simulation;
