package dev.weir.proxy.token;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

class TokenMemoryTest {
  private static final byte[] CLAIMS = {1, 2, 3};

  private final TokenMemory memory = new TokenMemory(64, 2, 1024);

  private static UnsafeBuffer bytes(String text) {
    return new UnsafeBuffer(text.getBytes(StandardCharsets.US_ASCII));
  }

  private int put(long hash, String token, long untilNs, int key) {
    UnsafeBuffer bytes = bytes(token);
    return memory.put(hash, bytes, 0, bytes.capacity(), untilNs, key, 1, CLAIMS);
  }

  private int find(long hash, String token, long nowNs) {
    UnsafeBuffer bytes = bytes(" " + token + " ");
    return memory.find(hash, bytes, 1, bytes.capacity() - 2, nowNs);
  }

  @Test
  void findsATokenUntilItsTime() {
    assertEquals(TokenMemory.UNKNOWN, find(5, "a.b.c", 0));
    int record = put(5, "a.b.c", 100, 7);
    assertEquals(record, find(5, "a.b.c", 99));
    assertEquals(7, memory.key(record));
    assertEquals(1, memory.version(record));
    assertEquals(3, memory.claimsLength(record));
    assertEquals(1, memory.bytes(record).getByte(memory.claimsOffset(record)));
    assertEquals(TokenMemory.UNKNOWN, find(5, "a.b.c", 100));
    memory.version(record, 2);
    assertEquals(2, memory.version(record));
  }

  /** Whoever knows how tokens are hashed must not pass for somebody else. */
  @Test
  void takesNoTokenForAnotherOfTheSameHash() {
    String token = "0123456789abcdefghi";
    put(5, token, 100, 1);
    for (int i = 0; i < token.length(); i++) {
      String other = token.substring(0, i) + "!" + token.substring(i + 1);
      assertEquals(TokenMemory.UNKNOWN, find(5, other, 0), other);
    }
    assertEquals(TokenMemory.UNKNOWN, find(5, token.substring(1), 0));
    assertEquals(TokenMemory.UNKNOWN, find(5, token + "j", 0));
    assertNotEquals(TokenMemory.UNKNOWN, find(5, token, 0));
  }

  @Test
  void keepsTheLatestOfOneHash() {
    for (int i = 0; i < 9; i++) {
      put(5, "token" + i, 100, i);
    }
    assertEquals(TokenMemory.UNKNOWN, find(5, "token0", 0));
    for (int i = 1; i < 9; i++) {
      assertEquals(i, memory.key(find(5, "token" + i, 0)));
    }
  }

  /** Whatever was overwritten is not found; what is found is what was written last. */
  @Test
  void findsWhatWasWrittenLastOrNothing() {
    Random random = new Random(1);
    Map<String, Integer> written = new HashMap<>();
    int found = 0;
    for (int i = 0; i < 20_000; i++) {
      String token = "t" + random.nextInt(40) + "x".repeat(random.nextInt(2) * 300);
      long hash = token.hashCode() * 0x9e3779b97f4a7c15L;
      int record = find(hash, token, 0);
      if (record != TokenMemory.UNKNOWN) {
        assertEquals(written.get(token), memory.key(record));
        found++;
      } else {
        written.put(token, i);
        put(hash, token, 100, i);
      }
    }
    assertNotEquals(0, found);
    assertNotEquals(20_000, found);
  }
}
