/**
 * Envoy's rate-limit service: reads a call, charges its descriptors, and answers. Calls are a hot
 * path.
 */
package dev.weir.proxy.envoy.call;
