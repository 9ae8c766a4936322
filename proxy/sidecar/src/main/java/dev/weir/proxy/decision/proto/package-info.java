/** Reads and writes protobuf messages in place, without an object for a message. */
package dev.weir.proxy.decision.proto;
