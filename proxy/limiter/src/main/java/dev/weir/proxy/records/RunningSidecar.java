package dev.weir.proxy.records;

/**
 * A sidecar of the service that lives.
 *
 * @param id names it for as long as it runs.
 * @param inUse the set of rules by which it decides; {@link RecordVersion#NONE} if that is not
 *     known, or is that of its file.
 */
public record RunningSidecar(String id, RecordVersion inUse) {}
