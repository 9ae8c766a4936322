/**
 * Answers that Weir gives itself, and the fields that tell a client of its limit, in both versions
 * of HTTP. Hot path.
 */
package dev.weir.proxy.downstream.answer;
