/** Messages of gRPC services that are known by their descriptors alone. */
package dev.weir.bench.grpc;
