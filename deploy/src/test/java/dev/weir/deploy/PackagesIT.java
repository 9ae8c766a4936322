package dev.weir.deploy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The archives and the Debian package, installed and asked until they refuse. */
@Timeout(300)
class PackagesIT {
  private static final Map<String, String> PATH = Map.of("PATH", "/usr/bin:/bin");

  /** Of the header of an ELF file: where the processor stands, and two of them. */
  private static final int MACHINE_OFFSET = 18;

  private static final int X86_64 = 62;
  private static final int AARCH64 = 183;

  /** name:password:uid:gid. */
  private static final Pattern USER = Pattern.compile("(?m)^weir:[^:]*:([0-9]+):([0-9]+):");

  @TempDir private Path folder;

  @BeforeEach
  void assumeMade() {
    Distribution.assumeMade();
  }

  private static void assertLimits(Map<String, String> environment, List<String> command)
      throws IOException, InterruptedException {
    try (PackagedSidecar weir = PackagedSidecar.start(environment, command)) {
      weir.assertLimits();
      assertEquals(List.of(), weir.remarks());
    }
  }

  @Test
  void theArchiveNeedsNoJavaAndNoPath() throws Exception {
    Path home = Distribution.unpack("weir-VERSION-linux-x86_64.tar.gz", folder);
    assertLimits(Map.of("PATH", "/nonexistent"), List.of(home.resolve("weir").toString()));
  }

  @Test
  void theArchiveNeedsNoEnvironment() throws Exception {
    Path home = Distribution.unpack("weir-VERSION-linux-x86_64.tar.gz", folder);
    assertLimits(Map.of(), List.of(home.resolve("weir").toString()));
  }

  @Test
  void theArchiveWithoutARuntimeHasTheLibrariesOfBothProcessors() throws Exception {
    Path home = Distribution.unpack("weir-VERSION.tar.gz", folder);
    String jar = home.resolve("weir.jar").toString();
    Path libraries = Files.createDirectory(folder.resolve("libraries"));
    Program.find("unzip")
        .run("-q", "-j", jar, "META-INF/native/*", "-d", libraries.toString())
        .succeeded();
    for (String library : List.of("tcnative_linux", "transport_native_epoll", "native_io_uring")) {
      for (String processor : List.of("x86_64", "aarch_64")) {
        int wanted = processor.equals("x86_64") ? X86_64 : AARCH64;
        assertEquals(wanted, machine(libraries, library, processor), library);
      }
    }
  }

  @Test
  void theArchiveWithoutARuntimeTakesTheJavaThatIsThere() throws Exception {
    Path home = Distribution.unpack("weir-VERSION.tar.gz", folder);
    Map<String, String> environment =
        Map.of("PATH", "/usr/bin:/bin", "WEIR_JAVA_HOME", System.getProperty("java.home"));
    assertLimits(environment, List.of(home.resolve("weir").toString()));
  }

  /** The processor that a library is for, by the header of its ELF file. */
  private static int machine(Path libraries, String library, String processor) throws IOException {
    Path found;
    try (Stream<Path> files = Files.list(libraries)) {
      found =
          files
              .filter(file -> file.toString().contains(library))
              .filter(file -> file.toString().endsWith("_" + processor + ".so"))
              .findAny()
              .orElseThrow(() -> new AssertionError(library + " for " + processor));
    }
    byte[] file = Files.readAllBytes(found);
    return ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN).getShort(MACHINE_OFFSET);
  }

  /** Into a root that has nothing, so its scripts run outside of it (DPKG_ROOT). */
  @Test
  void theDebianPackageIsInstalledRunsAsItsUserAndIsRemoved() throws Exception {
    Program dpkg = Program.find("dpkg");
    Program.find("systemd-sysusers");
    assumeTrue(System.getProperty("user.name").equals("root"), "dpkg wants to be root");
    Path root = Files.createDirectory(folder.resolve("root"));
    Program.find("chmod").run("755", folder.toString()).succeeded();
    Files.createDirectories(root.resolve("var/lib/dpkg/info"));
    Files.createDirectories(root.resolve("var/lib/dpkg/updates"));
    Files.createDirectories(root.resolve("etc"));
    Files.createFile(root.resolve("var/lib/dpkg/status"));
    String[] options = {
      "--root=" + root, "--force-script-chrootless", "--force-depends", "--log=/dev/null"
    };
    String deb = Distribution.debianPackage().toString();
    dpkg.run(with(options, "--install", deb)).succeeded();

    Matcher user = USER.matcher(Repository.read(root.resolve("etc/passwd")));
    assertTrue(user.find(), "no user weir");
    String launcher = root.resolve("usr/bin/weir").toString();
    String setpriv = Program.find("setpriv").toString();
    assertLimits(
        PATH,
        List.of(
            setpriv,
            "--reuid=" + user.group(1),
            "--regid=" + user.group(2),
            "--clear-groups",
            "--no-new-privs",
            launcher));

    Path settings = root.resolve("etc/weir/weir.yaml");
    Program.at(Path.of(launcher)).run(PATH, "check", settings.toString()).succeeded();
    Files.writeString(settings, Repository.read(settings).replace("100/1s", "7/1s"));
    dpkg.run(with(options, "--install", deb)).succeeded();
    assertTrue(Repository.read(settings).contains("limit: 7/1s"), () -> Repository.read(settings));

    dpkg.run(with(options, "--remove", "weir")).succeeded();
    assertTrue(Files.exists(settings));
    assertFalse(Files.exists(root.resolve("usr/lib/weir")));
    dpkg.run(with(options, "--purge", "weir")).succeeded();
    assertFalse(Files.exists(settings));
    assertFalse(Files.exists(root.resolve("etc/weir")));
  }

  @Test
  void theUnitOfTheDebianPackageStartsWhatThePackageHas() throws Exception {
    Program systemd = Program.find("systemd-analyze");
    Program.find("dpkg-deb")
        .run("--extract", Distribution.debianPackage().toString(), folder.toString())
        .succeeded();
    String[] verify = {"verify", "--man=no", "--root=" + folder, "weir.service"};
    // The root has none of the system's own units and programs.
    String missing = "Command weir is not executable";
    String found = systemd.run(verify).output();
    assertFalse(found.contains(missing), found);
    Files.delete(folder.resolve("usr/bin/weir"));
    assertTrue(systemd.run(verify).output().contains(missing), "the check would be none");
  }

  private static String[] with(String[] options, String... more) {
    return Stream.concat(Stream.of(options), Stream.of(more)).toArray(String[]::new);
  }
}
