/** The processes of an episode: sidecars as users start them, and the store. */
package dev.weir.bench.torture.site;
