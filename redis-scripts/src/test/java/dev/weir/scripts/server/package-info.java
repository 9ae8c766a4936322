/**
 * Real Redis servers as child processes, for the tests of every module: one server, a cluster, a
 * master under sentinels, and a proxy that spoils the way to any of them. Everything listens on
 * 127.0.0.1, waits at most as long as {@link dev.weir.scripts.server.Await} says, and ends with its
 * {@code close}, at the latest with the JVM.
 */
package dev.weir.scripts.server;
