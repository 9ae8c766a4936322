package dev.weir.scripts.server;

/**
 * An error that the server answered.
 *
 * @param message without the leading {@code -}, as {@code NOSCRIPT No matching script.}
 */
public record RespError(String message) {}
