/**
 * A server of gRPC on our own HTTP/2: finds calls among streams, gathers their messages, and has a
 * method answer each. Health and reflection are methods that every server has. On the hot path.
 */
package dev.weir.proxy.decision.grpc;
