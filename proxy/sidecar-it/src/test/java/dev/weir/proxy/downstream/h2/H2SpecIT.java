package dev.weir.proxy.downstream.h2;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.weir.proxy.rig.Rig;
import dev.weir.proxy.tls.CertificateFiles;
import dev.weir.proxy.tls.TestCertificates;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The conformance suite of HTTP/2, strict cases included, against a sidecar before a service of
 * HTTP/1.1. It is a program of Linux on x86-64, and skipped elsewhere.
 */
class H2SpecIT {
  private static final String ARCHIVE = "/h2spec/2.2.0/h2spec_linux_amd64.tar.gz";
  private static final String ALL_PASSED = "146 tests, 146 passed, 0 skipped, 0 failed";
  private static final int ENTRY_BYTES = 512;
  private static final int ENTRY_NAME_BYTES = 100;
  private static final int ENTRY_SIZE_OFFSET = 124;
  private static final int ENTRY_SIZE_DIGITS = 11;

  /** How long a case waits for what is to come, in seconds. */
  private static final String CASE_SECONDS = "2";

  private static final int SUITE_SECONDS = 120;

  @TempDir private static Path folder;
  private static Path program;

  @BeforeAll
  static void unpack() throws IOException {
    assumeTrue(
        System.getProperty("os.name").equals("Linux")
            && System.getProperty("os.arch").equals("amd64"),
        "h2spec's binary is one of Linux on x86-64");
    program = folder.resolve("h2spec");
    try (InputStream archive = new GZIPInputStream(H2SpecIT.class.getResourceAsStream(ARCHIVE))) {
      Files.write(program, onlyEntry(archive));
    }
    assertTrue(program.toFile().setExecutable(true));
  }

  /** The first file of a tar archive, which is the program. */
  private static byte[] onlyEntry(InputStream archive) throws IOException {
    String header = new String(archive.readNBytes(ENTRY_BYTES), StandardCharsets.US_ASCII);
    assertEquals("h2spec", header.substring(0, ENTRY_NAME_BYTES).replace("\0", ""));
    String size = header.substring(ENTRY_SIZE_OFFSET, ENTRY_SIZE_OFFSET + ENTRY_SIZE_DIGITS);
    return archive.readNBytes(Integer.parseInt(size.trim(), 8));
  }

  @Test
  void passesEveryCase() throws Exception {
    try (Rig rig = new Rig("nio", "--limit", "100000/365d")) {
      InetSocketAddress address = (InetSocketAddress) rig.sidecar.listenAddress();
      assertAllPass("-p", Integer.toString(address.getPort()));
    }
  }

  @Test
  void passesEveryCaseOverTls() throws Exception {
    CertificateFiles files =
        TestCertificates.write(folder, "a", TestCertificates.server("a.example"));
    try (Rig rig =
        new Rig(
            "nio",
            "--limit",
            "100000/365d",
            "--listen",
            "https://127.0.0.1:0",
            "--tls.certificate",
            files.chain().toString(),
            "--tls.key",
            files.key().toString())) {
      InetSocketAddress address = (InetSocketAddress) rig.sidecar.listenAddress();
      assertAllPass("-p", Integer.toString(address.getPort()), "-t", "-k");
    }
  }

  private static void assertAllPass(String... flags) throws IOException, InterruptedException {
    List<String> command =
        new ArrayList<>(
            List.of(program.toString(), "--strict", "-h", "127.0.0.1", "-o", CASE_SECONDS));
    command.addAll(List.of(flags));
    Path output = folder.resolve("output.txt");
    Process suite =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    boolean ended = suite.waitFor(SUITE_SECONDS, TimeUnit.SECONDS);
    suite.destroyForcibly();
    String said = Files.readString(output);
    assertTrue(
        ended && said.contains(ALL_PASSED), said.substring(Math.max(0, said.indexOf("Failures:"))));
  }
}
