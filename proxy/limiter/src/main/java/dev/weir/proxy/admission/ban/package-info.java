/**
 * Bans of identities: who was refused too often is refused by one word of memory, until the ban has
 * ended. Part of the hot path.
 */
package dev.weir.proxy.admission.ban;
