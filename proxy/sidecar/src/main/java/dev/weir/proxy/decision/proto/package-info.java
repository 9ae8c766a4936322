/** Reads and writes messages of Protocol Buffers where they are, without an object for any. */
package dev.weir.proxy.decision.proto;
