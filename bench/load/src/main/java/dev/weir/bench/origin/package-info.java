/**
 * Servers that do next to nothing with a request, so that a load shows what the load harness itself
 * can do; and what a server does wrong, when told to. They trust their clients: never to be reached
 * from elsewhere.
 */
package dev.weir.bench.origin;
