package dev.weir.proxy.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class ClientSharesTest {
  private final ClientShares shares = new ClientShares(64);

  private static int takeAll(ClientShares.Share share) {
    int taken = 0;
    while (share.take(1)) {
      taken++;
    }
    return taken;
  }

  @Test
  void oneClientLeavesAQuarterToTheNextAndTwoAnEighthToThoseThatHaveNothing() {
    assertEquals(48, takeAll(shares.of("a")));
    assertEquals(8, takeAll(shares.of("b")));
    for (int client = 0; client < 8; client++) {
      assertEquals(1, takeAll(shares.of(client)), "client " + client);
    }
    assertEquals(64, shares.taken());
  }

  @Test
  void aFewClientsThatTakeAllTheyCanLeaveSomeToManyOthers() {
    ClientShares bytes = new ClientShares(1 << 20);
    for (int client = 0; client < 10; client++) {
      takeAll(bytes.of("greedy " + client));
    }
    for (int client = 0; client < 20; client++) {
      assertTrue(bytes.of(client).take(4096), "client " + client);
    }
  }

  @Test
  void manyClientsAtOnceMayTakeAll() {
    assertEquals(64, takeAll(shares.of(null)));
    assertFalse(shares.of("a").take(1));
  }

  @Test
  void takesAllOfWhatIsAskedForOrNothing() {
    ClientShares.Share share = shares.of("a");
    assertFalse(share.take(65));
    assertTrue(share.take(64), "of all that is free");
    share.give(64);
    assertEquals(0, shares.taken());
  }

  @Test
  void knowsAClientAsLongAsItHasSomethingAndNoLonger() {
    ClientShares.Share first = shares.of("a");
    assertTrue(first.take(2));
    assertSame(first, shares.of("a"));
    first.give(1);
    assertSame(first, shares.of("a"));
    first.give(1);
    assertEquals(0, shares.count());
    ClientShares.Share second = shares.of("a");
    assertNotSame(first, second);
    assertTrue(second.take(1));
    assertTrue(first.take(1), "of a connection that is just closing");
    first.give(1);
    assertSame(second, shares.of("a"));
  }

  @Test
  void keepsNothingOfAClientThatGotNothing() {
    shares.of(null).take(64);
    for (int i = 0; i < 1_000; i++) {
      assertFalse(shares.of(i).take(1));
    }
    assertEquals(0, shares.count());
  }
}
