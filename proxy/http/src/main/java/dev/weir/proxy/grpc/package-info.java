/**
 * Calls of gRPC: how one is told from other requests, its deadline and its message. A hot path:
 * nothing is allocated per call.
 */
package dev.weir.proxy.grpc;
