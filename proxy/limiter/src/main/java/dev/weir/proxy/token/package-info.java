/**
 * JSON Web Tokens (RFC 7519) whose claims are keys of rules: found in requests, verified once, and
 * remembered until they expire. Nothing of this package but its settings is loaded where no key set
 * is named.
 */
package dev.weir.proxy.token;
