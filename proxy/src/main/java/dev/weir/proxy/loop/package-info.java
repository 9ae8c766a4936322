/**
 * What belongs to one event loop whatever runs on it: its clock and its deadlines. Nothing here is
 * thread-safe, and nothing needs to be: a request never changes thread.
 */
package dev.weir.proxy.loop;
