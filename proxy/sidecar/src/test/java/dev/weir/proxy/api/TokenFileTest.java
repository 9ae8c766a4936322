package dev.weir.proxy.api;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TokenFileTest {
  private static String lines(int count) {
    return IntStream.range(0, count)
        .mapToObj(i -> "caller%d viewer %064x\n".formatted(i, i))
        .collect(Collectors.joining());
  }

  @Test
  void hasSoManyTokensAndNoMore(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("tokens");
    Files.writeString(file, lines(1_000));
    new TokenFile(file);
    Files.writeString(file, lines(1_001));
    String fault = assertThrows(IOException.class, () -> new TokenFile(file)).getMessage();
    assertTrue(fault.endsWith(": 1001 tokens (expected: 1 to 1000, one a line)"), fault);
  }
}
