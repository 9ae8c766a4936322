/** Asks Weir from a Java program, over any transport of gRPC. */
package dev.weir.client;
