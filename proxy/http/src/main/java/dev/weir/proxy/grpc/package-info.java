/**
 * Calls of gRPC: how one is told from other requests, what a refusal of it says, its deadline and
 * its messages. A hot path: nothing is allocated per call.
 */
package dev.weir.proxy.grpc;
