package dev.weir.scripts.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RedisSentinelsIT {
  @ParameterizedTest
  @EnumSource
  void promotesTheReplicaOfAKilledMaster(RedisKind kind) throws Exception {
    try (RedisSentinels all = RedisSentinels.start(kind.binary())) {
      final RedisServer master = all.master();
      final RedisServer replica = all.replica();
      assertNotSame(master, replica);
      for (RedisServer sentinel : all.sentinels()) {
        assertEquals(master.port(), all.resolve(sentinel));
      }
      try (RespClient client = master.connect()) {
        client.text("SET", "a", "1");
        assertEquals("1", client.text("WAIT", "1", "5000"));
      }
      assertSame(master, all.killMaster());
      assertSame(replica, all.awaitPromotion(master));
      assertEquals("1", replica.text("GET", "a"));
      for (RedisServer sentinel : all.sentinels()) {
        assertEquals(replica.port(), all.resolve(sentinel));
      }
    }
  }
}
