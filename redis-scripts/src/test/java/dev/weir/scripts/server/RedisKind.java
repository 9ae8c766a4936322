package dev.weir.scripts.server;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;

/** Both servers, for an {@code @EnumSource}: what a test claims must hold on each. */
public enum RedisKind {
  EMBEDDED,
  INSTALLED;

  /** The server; aborts the calling test where the machine has none of the kind. */
  public Path binary() {
    if (this == EMBEDDED) {
      return RedisBinary.embedded();
    }
    assumeTrue(RedisBinary.installed().isPresent(), "no redis-server on the PATH");
    return RedisBinary.installed().orElseThrow();
  }

  /** A server of the kind with nothing set; aborts the test as {@link #binary} does. */
  public RedisServer start() throws Exception {
    return RedisServer.on(binary()).start();
  }
}
