/**
 * The store that a fleet shares: which server has which key, batches of checks on their way there
 * and back, and what to do while a server is away. Knows keys, limits and tickets, and no rule. Hot
 * path.
 */
package dev.weir.proxy.store;
