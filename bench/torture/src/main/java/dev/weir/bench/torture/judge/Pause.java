package dev.weir.bench.torture.judge;

/** A time in which the machine gave this process no processor, and so perhaps no sidecar. */
public record Pause(long fromNs, long toNs) {}
