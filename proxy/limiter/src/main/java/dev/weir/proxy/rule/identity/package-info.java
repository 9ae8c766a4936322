/**
 * Identities: what the key of a rule reads in a request, hashed, and as text for names in the
 * store. Hot path.
 */
package dev.weir.proxy.rule.identity;
