/** Turns files of envoyproxy/ratelimit into rules, as far as those can say the same. */
package dev.weir.proxy.envoy.importer;
