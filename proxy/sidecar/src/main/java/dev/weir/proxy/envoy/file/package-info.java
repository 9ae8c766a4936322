/**
 * The files of envoyproxy/ratelimit: reading and following them, and the tree of limits that they
 * are compiled into. Finding the limit of a descriptor in that tree is a hot path.
 */
package dev.weir.proxy.envoy.file;
