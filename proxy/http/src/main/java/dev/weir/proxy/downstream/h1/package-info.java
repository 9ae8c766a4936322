/**
 * Clients' HTTP/1.1 connections: one request at a time, with bounds on the input and the unread
 * responses of connections. Hot path.
 */
package dev.weir.proxy.downstream.h1;
