package dev.weir.proxy.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.LogLines;
import dev.weir.proxy.request.CertificateNames;
import dev.weir.proxy.web.Role;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The file of tokens: which lines are good, and what a reload takes. */
class TokenFileTest {
  private static final String ANN = ApiRig.sha256("ann's");
  private static final String BOB = ApiRig.sha256("bob's");

  @TempDir private Path folder;

  private Path write(String text) throws IOException {
    return Files.writeString(folder.resolve("tokens"), text);
  }

  @Test
  void knowsATokenByItsHashAloneAndNotByAnythingElse() throws Exception {
    try (TokenFile file = new TokenFile(write("# all\n\nann editor " + ANN + "\n"))) {
      assertEquals("ann", file.find("ann's").name());
      assertEquals(Role.EDITOR, file.find("ann's").role());
      for (String guess : new String[] {"", "ann", "ann'", "ann's ", "Ann's", "bob's", ANN}) {
        assertNull(file.find(guess), guess);
      }
    }
  }

  @Test
  void knowsACertificateByALineThatHoldsBeforeOneThatHasEnded() throws Exception {
    CertificateNames both = new CertificateNames(bytes("ann.example"), null, bytes("ann"));
    CertificateNames old = new CertificateNames(null, null, bytes("ann"));
    String lines = "old admin tls:cn=ann 2027-01-31\nnew editor tls:san=ann.example\n";
    try (TokenFile file = new TokenFile(write(lines))) {
      Instant end = Instant.parse("2027-01-31T00:00:00Z");
      assertEquals("old", file.find(both, end.minusNanos(1)).name());
      assertEquals("new", file.find(both, end).name());
      assertEquals("old", file.find(old, end).name(), "so that the answer can say that it ended");
      assertNull(file.find(new CertificateNames(null, bytes("ann"), null), end));
    }
  }

  private static byte[] bytes(String name) {
    return name.getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void takesAChangedFileAndKeepsTheLastGoodOneOverFaults() throws Exception {
    try (TokenFile file = new TokenFile(write("ann admin " + ANN + "\n"))) {
      write("bob viewer " + BOB.toUpperCase(Locale.ROOT) + "\n");
      file.poll();
      assertNotNull(file.find("ann's"), "read once: it may be half");
      file.poll();
      assertNull(file.find("ann's"), "it was removed");
      assertEquals(Role.VIEWER, file.find("bob's").role());
      assertTrue(file.reloads().isLastTaken());
      try (LogLines log = new LogLines()) {
        write("ann admin " + ANN + "\nbob viewer hunter2\n");
        file.reload();
        assertNull(file.find("ann's"), "no line of a file with a fault counts");
        assertNotNull(file.find("bob's"));
        assertFalse(file.reloads().isLastTaken());
        assertTrue(log.toString().contains("tokens:2: bob: not a sha256"), log.toString());
        assertFalse(log.toString().contains("hunter2"), log.toString());
        Files.delete(folder.resolve("tokens"));
        file.reload();
        assertNotNull(file.find("bob's"), "without a file, too");
      }
      write("ann admin " + ANN + "\n");
      file.reload();
      assertNotNull(file.find("ann's"));
      assertTrue(file.reloads().isLastTaken());
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "ann admin | :1: 2 words (expected: name role sha256, and until when)",
        "ann admin HASH 2027-01-31 x | :1: 5 words",
        "a/b admin HASH | :1: not a name (expected: a name of 1 to 64 letters",
        "local admin HASH | :1: not a name",
        "file admin HASH | :1: not a name",
        "ann root HASH | :1: ann: no such role (expected: viewer, editor or admin)",
        "ann admin 1234 | :1: ann: not a sha256 (expected: the SHA-256 of the token",
        "ann admin tls:cn= | :1: ann: not a sha256",
        "ann admin HASH tomorrow | :1: ann: not a time (expected: 2027-01-31 or",
        "# none | : 0 tokens (expected: 1 to 1000, one a line)",
      })
  void namesTheLineAndWhatWasExpectedAndNoSecret(String line, String fault) throws Exception {
    Path file = write(line.replace("HASH", ANN));
    String message = assertThrows(IOException.class, () -> new TokenFile(file)).getMessage();
    assertTrue(message.contains(file + fault), message);
    assertFalse(message.contains(ANN), message);
  }

  @Test
  void refusesOneTokenForTwoNames() throws Exception {
    Path file = write("ann admin " + ANN + "\neve viewer " + ANN + "\n");
    String message = assertThrows(IOException.class, () -> new TokenFile(file)).getMessage();
    assertTrue(message.contains(":2: eve (expected: each"), message);
  }

  private static String lines(int count) {
    return IntStream.range(0, count)
        .mapToObj(i -> "caller%d viewer %064x\n".formatted(i, i))
        .collect(Collectors.joining());
  }

  @Test
  void hasSoManyTokensAndNoMore() throws IOException {
    Path file = write(lines(1_000));
    new TokenFile(file).close();
    write(lines(1_001));
    String fault = assertThrows(IOException.class, () -> new TokenFile(file)).getMessage();
    assertTrue(fault.endsWith(": 1001 tokens (expected: 1 to 1000, one a line)"), fault);
  }
}
