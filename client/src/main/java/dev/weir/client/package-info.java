/** A client of Weir's decision API for Java, over any transport of gRPC. */
package dev.weir.client;
