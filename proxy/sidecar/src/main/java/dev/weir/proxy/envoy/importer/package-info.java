/** Turns files of envoyproxy/ratelimit into rules, as far as both can say the same. */
package dev.weir.proxy.envoy.importer;
