/**
 * Clock, deadlines and input and output of an event loop, whatever runs on it. Nothing here is
 * thread-safe, and nothing needs to be: a request never changes thread.
 */
package dev.weir.proxy.loop;
