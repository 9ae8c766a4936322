package dev.weir.bench.store;

import dev.weir.scripts.LuaScript;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/** The scripts that are measured. */
enum Script {
  /** The shipped one. */
  CHECK,

  /** GCRA and nothing else: the least that a script of one algorithm takes. */
  GCRA_ALONE;

  byte[] source() {
    if (this == CHECK) {
      return LuaScript.CHECK.source();
    }
    try (InputStream in = Script.class.getResourceAsStream("/experiments/gcra.lua")) {
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
