/**
 * A server of HTTP on our own connections: endpoints found by method and path, which answer whole
 * requests, and the tokens that clients show. On the hot path.
 */
package dev.weir.proxy.decision.http;
