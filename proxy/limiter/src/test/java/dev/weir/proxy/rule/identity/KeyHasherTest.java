package dev.weir.proxy.rule.identity;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

class KeyHasherTest {
  private static final UnsafeBuffer IDENTITY =
      new UnsafeBuffer("203.0.113.7".getBytes(StandardCharsets.US_ASCII));

  @Test
  void hashesUnderAKeyOfItsOwnEachTime() {
    Set<Long> hashes = new HashSet<>();
    for (int i = 0; i < 100; i++) {
      hashes.add(KeyHasher.random().hash(IDENTITY, 0, IDENTITY.capacity()));
    }
    assertEquals(100, hashes.size());
  }
}
