/**
 * The rate-limit service of Envoy with the files of envoyproxy/ratelimit: what they say, which
 * limit a descriptor has, and what becomes of it. What a call passes is a hot path.
 */
package dev.weir.proxy.envoy;
