/**
 * What makes a call gRPC's: how it is told from other requests, what a refusal of it says, its
 * deadline and its messages. A hot path: nothing is allocated per call.
 */
package dev.weir.proxy.grpc;
