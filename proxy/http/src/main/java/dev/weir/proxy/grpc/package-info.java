/**
 * gRPC calls: how one is recognised, its deadline, and how one is refused. Hot path: nothing is
 * allocated per call.
 */
package dev.weir.proxy.grpc;
