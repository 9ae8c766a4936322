/**
 * The log, as SLF4J finds it: one line per event, on standard error, as standard output is for what
 * a command answers. A library for this would load some 500 classes before the first request.
 */
package dev.weir.proxy.log;
