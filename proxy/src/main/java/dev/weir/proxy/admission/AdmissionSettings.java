package dev.weir.proxy.admission;

/**
 * Where decisions are made.
 *
 * @param tableKeyCount keys in debt at one time that the limit table has room for. Memory is taken
 *     at start, and never more.
 */
public record AdmissionSettings(int tableKeyCount) {}
