/**
 * Requests that nobody sent: what a virtual machine has not run is slow the first time, and so is
 * what it has not compiled. Before the first client comes, a second, small sidecar on the same
 * event loops is sent requests by package {@code traffic}; that sidecar is made and taken down by
 * {@code SidecarWarmUp}.
 */
package dev.weir.proxy.warmup;
