/** Records in the Redis servers of the store. Blocking: never used by an event loop. */
package dev.weir.proxy.records.redis;
