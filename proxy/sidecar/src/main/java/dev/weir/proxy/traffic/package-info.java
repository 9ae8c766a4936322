/**
 * Both ends of a sidecar's connections, played by plain sockets of one thread: a service that
 * answers everything, and clients. The warm-up, training and the demo use them.
 */
package dev.weir.proxy.traffic;
