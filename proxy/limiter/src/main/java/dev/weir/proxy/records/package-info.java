/**
 * What is kept of a policy outside of files: sets of rules, users, and an audit of who changed
 * them. Never used by an event loop.
 */
package dev.weir.proxy.records;
