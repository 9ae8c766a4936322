/**
 * The rate-limit service of Envoy: a call as it is read, what its descriptors are charged, and the
 * answer. What a call passes is a hot path.
 */
package dev.weir.proxy.envoy.call;
