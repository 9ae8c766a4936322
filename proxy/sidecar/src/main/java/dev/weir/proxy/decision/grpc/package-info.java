/**
 * A gRPC server on Weir's own HTTP/2: finds calls among streams, gathers their messages, and passes
 * each to its method. Has health and reflection. Hot path.
 */
package dev.weir.proxy.decision.grpc;
