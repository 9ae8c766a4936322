package dev.weir.proxy.records;

/**
 * Who changes records, for the audit.
 *
 * @param name of the token or certificate; {@code file} for a file of rules.
 * @param from the address that the request came from; empty if there is none.
 * @param requestId empty if there is none.
 * @param reason as given; empty if there is none.
 */
public record Author(String name, String from, String requestId, String reason) {}
