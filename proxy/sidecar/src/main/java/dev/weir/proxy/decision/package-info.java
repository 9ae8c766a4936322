/**
 * The decision API: answers checks of other programs, by gRPC and HTTP, on listeners of its own.
 */
package dev.weir.proxy.decision;
