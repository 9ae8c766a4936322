/**
 * Says what went wrong in an episode, from what was seen outside of the sidecars. Written from the
 * manual alone: nothing here is shared with what decides.
 */
package dev.weir.bench.torture.judge;
