package dev.weir.bench.fleet;

import java.nio.file.Path;

/** The programs that a fleet is made of. */
record FleetPrograms(Path launcher, Path redisServer) {}
