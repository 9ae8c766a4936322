/**
 * Answers other programs' questions: calls of gRPC and requests of HTTP, on addresses of their own.
 */
package dev.weir.proxy.decision;
