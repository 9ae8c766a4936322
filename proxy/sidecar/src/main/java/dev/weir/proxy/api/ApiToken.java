package dev.weir.proxy.api;

import dev.weir.proxy.web.Role;
import java.time.Instant;

/**
 * One token of those that the API knows, by its hash.
 *
 * @param name by which the audit calls whoever has it.
 * @param sha256 of the token.
 * @param until when it ends; {@link Instant#MAX} for never.
 */
record ApiToken(String name, Role role, byte[] sha256, Instant until) {}
