/**
 * The warm-up: code that a JVM has not run or compiled is slow the first time. Before the first
 * client comes, a second, small sidecar on the same event loops gets requests from package {@code
 * traffic}; {@code SidecarWarmUp} makes and closes it.
 */
package dev.weir.proxy.warmup;
