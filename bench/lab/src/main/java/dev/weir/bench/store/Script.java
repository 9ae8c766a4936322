package dev.weir.bench.store;

import dev.weir.scripts.LuaScript;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/** The scripts that are measured: the shipped one, and experiments from the class path. */
enum Script {
  CHECK,
  STRINGS("storage-strings.lua", "gcra.lua"),
  FOREVER("storage-forever.lua", "gcra.lua"),
  GENERATIONS("storage-generations.lua", "gcra.lua"),
  FOUR_COMMANDS("four-commands.lua");

  private final String[] files;

  Script(String... files) {
    this.files = files;
  }

  byte[] source() {
    if (this == CHECK) {
      return LuaScript.CHECK.source();
    }
    final ByteArrayOutputStream source = new ByteArrayOutputStream();
    for (String file : files) {
      try (InputStream in = Script.class.getResourceAsStream("/experiments/" + file)) {
        in.transferTo(source);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return source.toByteArray();
  }
}
