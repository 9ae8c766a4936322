/** The command line of everything that measures Weir and does not ship with it. */
package dev.weir.bench.lab;
