/** How traffic is spread over those who make it. */
package dev.weir.bench.keys;
