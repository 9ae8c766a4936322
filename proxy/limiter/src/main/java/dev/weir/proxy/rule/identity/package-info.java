/**
 * Identities: read from a request by a rule's key, hashed, and written as text for names in the
 * store. Hot path.
 */
package dev.weir.proxy.rule.identity;
