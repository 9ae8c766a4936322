/**
 * The Lua scripts that decide inside Redis, with their digests and the typed encoding of their
 * calls and replies. Nothing in this package opens a connection.
 */
package dev.weir.scripts;
