/**
 * The files of envoyproxy/ratelimit: how they are read and followed, and the tree of limits that
 * they are compiled to. Finding the limit of a descriptor in that tree is a hot path.
 */
package dev.weir.proxy.envoy.file;
