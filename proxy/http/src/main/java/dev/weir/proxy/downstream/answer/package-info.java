/**
 * The responses that Weir makes itself, and the fields that tell a client about its limit, in both
 * versions of HTTP and in gRPC. Hot path.
 */
package dev.weir.proxy.downstream.answer;
