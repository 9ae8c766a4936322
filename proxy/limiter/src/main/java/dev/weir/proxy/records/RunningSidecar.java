package dev.weir.proxy.records;

/**
 * A sidecar of the service that lives.
 *
 * @param id names it for as long as it runs.
 * @param inUse the version of the rules that it has followed; {@link RecordVersion#NONE} if that is
 *     not known, or it has met no set yet.
 * @param refused a later version that it cannot take; null if there is none.
 */
public record RunningSidecar(String id, RecordVersion inUse, RecordVersion refused) {}
