/**
 * Requests that nobody sent: what a virtual machine has not run is slow the first time, and so is
 * what it has not compiled. Before the first client comes, both ends of a second, small sidecar on
 * the same event loops are played here, by plain sockets of this machine; that sidecar is made and
 * taken down by {@code SidecarWarmUp}. What the virtual machine watches while it makes its cache
 * ({@code weir train}) is asked by the same sockets, and by programs of the decision API.
 */
package dev.weir.proxy.warmup;
