/**
 * How many requests a service should have in flight, found by the times that it takes. Used on the
 * path of a request: nothing here allocates, locks or waits. It knows no clock.
 *
 * <p>{@link dev.weir.algorithms.adaptive.AdaptiveLimit} is the number, for all threads of a
 * process; {@code Gradient2} is its arithmetic, for one.
 */
package dev.weir.algorithms.adaptive;
