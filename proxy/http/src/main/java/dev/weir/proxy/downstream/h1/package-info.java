/**
 * Clients' connections that speak HTTP/1.1: one request at a time, with what connections may keep
 * of input and of answers that are not taken. Hot path.
 */
package dev.weir.proxy.downstream.h1;
