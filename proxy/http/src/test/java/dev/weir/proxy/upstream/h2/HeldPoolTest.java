package dev.weir.proxy.upstream.h2;

import org.junit.jupiter.api.AfterEach;

/**
 * A test of one {@link HeldPool}: at its end the pool holds nothing, and no buffer is leaked. What
 * the test itself still holds it lets go in an {@code @AfterEach} of its own, which runs before the
 * one here.
 */
abstract class HeldPoolTest {
  HeldPool held;

  /** Two connections, and as many that wait as any test has. */
  HeldPoolTest() {
    this(new HeldPool(100, 2));
  }

  HeldPoolTest(HeldPool held) {
    this.held = held;
  }

  /** Goes on with another. */
  final void replace(HeldPool other) {
    held.close();
    held = other;
  }

  @AfterEach
  final void nothingIsHeld() {
    held.close();
  }
}
