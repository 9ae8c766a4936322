package dev.weir.proxy.records;

import java.util.List;

/**
 * Some users of a directory.
 *
 * @param next where to go on; null at the end. Whoever is there throughout comes once at least.
 */
public record UserPage(List<StoredRecord> users, String next) {}
