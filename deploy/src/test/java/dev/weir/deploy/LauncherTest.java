package dev.weir.deploy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The launcher in the folder of a package, whose java prints what it was started with. */
class LauncherTest {
  private static final int SIGINT = 2;
  private static final Path STATUS = Path.of("/proc/self/status");
  private static final String JAVA = "#!/bin/sh\nprintf '%s\\n' \"$0\" \"$@\"\n";

  @TempDir private Path folder;

  /** As {@code packages/make} lays it out. */
  @BeforeEach
  void install() throws IOException {
    Files.copy(Repository.ROOT.resolve("weir"), folder.resolve("weir"));
    Files.writeString(folder.resolve("weir.jar"), "");
    Files.writeString(folder.resolve("inlining"), "");
    Files.createDirectories(folder.resolve("native"));
    Path bin = Files.createDirectories(folder.resolve("runtime/bin"));
    Files.writeString(bin.resolve("java"), JAVA);
    Files.writeString(folder.resolve("runtime/release"), "JAVA_VERSION=\"25.0.3\"\n");
    assertTrue(bin.resolve("java").toFile().setExecutable(true));
    assertTrue(folder.resolve("weir").toFile().setExecutable(true));
  }

  private List<String> started(Map<String, String> environment, String... arguments) {
    return Program.at(folder.resolve("weir"))
        .run(environment, arguments)
        .succeeded()
        .lines()
        .toList();
  }

  @Test
  void startsTheRuntimeBesideItAndNeedsNoProgramOnThePath() {
    List<String> command = started(Map.of("PATH", "/nonexistent"), "run", "-c", "a.yaml");
    assertEquals(folder.resolve("runtime/bin/java").toString(), command.get(0));
    assertEquals(
        List.of("-jar", folder.resolve("weir.jar").toString(), "run", "-c", "a.yaml"),
        command.subList(command.size() - 5, command.size()));
  }

  @Test
  void simulatesAndLoadsByAJarOfTheirOwnAndSaysThatItIsMissing() throws IOException {
    Map<String, String> environment = Map.of("PATH", "/usr/bin:/bin");
    for (String command : List.of("simulate", "bench")) {
      Program.Result missing =
          Program.at(folder.resolve("weir")).run(environment, command, "--help");
      assertEquals(2, missing.exitCode());
      assertEquals(
          "weir: "
              + folder.resolve("weir-load.jar")
              + " is missing, and there are no sources beside "
              + folder.resolve("weir")
              + " to build it from\n",
          missing.output());
    }
    Files.writeString(folder.resolve("weir-load.jar"), "");
    List<String> command = started(environment, "simulate", "--seed", "2");
    assertEquals(
        List.of("-jar", folder.resolve("weir-load.jar").toString(), "simulate", "--seed", "2"),
        command.subList(command.size() - 5, command.size()));
    List<String> bench = started(environment, "bench", "run");
    assertEquals(List.of("run"), bench.subList(bench.size() - 1, bench.size()));
  }

  @Test
  void isReachedByALinkFromElsewhere() throws IOException {
    Path link = Files.createSymbolicLink(folder.resolve("link"), Path.of("weir"));
    List<String> command =
        Program.at(link).run(Map.of("PATH", "/usr/bin:/bin"), "demo").succeeded().lines().toList();
    assertEquals(folder.resolve("runtime/bin/java").toString(), command.get(0));
  }

  @Test
  void takesACacheWhereThePackageHasOne() throws IOException {
    List<String> options =
        List.of("-XX:ArchiveRelocationMode=0", "-XX:AOTCache=" + folder.resolve("weir.aot"));
    assertTrue(Collections.disjoint(started(Map.of("PATH", ""), "demo"), options));
    Files.writeString(folder.resolve("weir.aot"), "");
    assertTrue(started(Map.of("PATH", ""), "demo").containsAll(options));
  }

  @Test
  void tellsTheCompilersWhatNotToInlineInAPackageAndInAClone() throws IOException {
    String option = "-XX:CompileCommandFile=";
    assertTrue(started(Map.of("PATH", ""), "demo").contains(option + folder.resolve("inlining")));
    Path file = folder.resolve("proxy/sidecar/src/main/jvm/inlining");
    Files.createDirectories(file.getParent());
    Files.copy(Repository.ROOT.resolve("proxy/sidecar/src/main/jvm/inlining"), file);
    assertTrue(started(makeClone("25.0.3"), "demo").contains(option + file));
  }

  @Test
  void anotherJavaIsTakenWithoutTheCache() throws IOException {
    Files.writeString(folder.resolve("weir.aot"), "");
    Path other = Files.createDirectories(folder.resolve("other/bin"));
    Files.copy(folder.resolve("runtime/bin/java"), other.resolve("java"));
    assertTrue(other.resolve("java").toFile().setExecutable(true));
    Files.writeString(folder.resolve("other/release"), "JAVA_VERSION=\"17.0.1\"\n");
    Map<String, String> environment =
        Map.of("PATH", "/usr/bin:/bin", "WEIR_JAVA_HOME", folder.resolve("other").toString());
    List<String> command = started(environment, "demo");
    assertEquals(other.resolve("java").toString(), command.get(0));
    assertTrue(command.stream().noneMatch(word -> word.contains("AOTCache")), command.toString());
  }

  /**
   * A clone whose build makes an empty jar, and whose JDK makes an empty cache when asked for one.
   */
  private Map<String, String> makeClone(String javaVersion) throws IOException {
    Files.delete(folder.resolve("runtime/bin/java"));
    Files.delete(folder.resolve("weir.jar"));
    Files.delete(folder.resolve("native"));
    Files.createFile(folder.resolve("pom.xml"));
    Files.writeString(
        folder.resolve("mvnw"),
        "mkdir -p proxy/sidecar/target && : >proxy/sidecar/target/weir.jar\n");
    Path bin = Files.createDirectories(folder.resolve("jdk/bin"));
    Files.writeString(
        bin.resolve("java"),
        JAVA
            + "for word; do case $word in -XX:AOTCacheOutput=*) : >\"${word#*=}\" ;; esac; done\n"
            + "[ \"$word\" = -version ] || printf '%s\\n' \"$word\" >>'"
            + folder.resolve("commands")
            + "'\n");
    Files.createFile(bin.resolve("javac"));
    Files.writeString(
        bin.resolve("jar"),
        "#!/bin/sh\n[ \"$*\" = 'xf weir.jar META-INF/native' ] || exit 1\n"
            + "mkdir -p META-INF/native && : >META-INF/native/lib.so && : >META-INF/other\n"
            + "touch -d @0 META-INF/native\n");
    for (String name : List.of("java", "javac", "jar")) {
      assertTrue(bin.resolve(name).toFile().setExecutable(true));
    }
    Files.writeString(folder.resolve("jdk/release"), "JAVA_VERSION=\"" + javaVersion + "\"\n");
    return Map.of("PATH", "/usr/bin:/bin", "WEIR_JAVA_HOME", folder.resolve("jdk").toString());
  }

  @Test
  void aCloneMakesTheCacheAfterItsBuildAndTakesItFromThenOn() throws IOException {
    Map<String, String> environment = makeClone("25.0.3");
    List<String> first = started(environment, "demo");
    assertTrue(first.contains("weir: making the cache for quick starts..."), first.toString());
    Path cache = folder.resolve("proxy/sidecar/target/weir-25.0.3.aot");
    assertTrue(Files.exists(cache));
    assertEquals(List.of("train", "demo"), Files.readAllLines(folder.resolve("commands")));
    List<String> second = started(environment, "demo");
    assertTrue(second.contains("-XX:AOTCache=" + cache), second.toString());
    assertEquals(folder.resolve("jdk/bin/java").toString(), second.get(0));
    // Of another jar, and it is left alone: it would be refused.
    Files.setLastModifiedTime(cache, FileTime.fromMillis(0));
    assertTrue(!started(environment, "check").contains("-XX:AOTCache=" + cache));
  }

  private List<String> commands() throws IOException {
    return Files.readAllLines(folder.resolve("commands"));
  }

  @Test
  void aCloneMakesAMissingCacheWhenSomebodyLooksOn() throws IOException {
    Map<String, String> environment = makeClone("25.0.3");
    started(environment, "demo");
    Files.writeString(folder.resolve("jdk/release"), "JAVA_VERSION=\"25.0.4\"\n");
    Path cache = folder.resolve("proxy/sidecar/target/weir-25.0.4.aot");
    // Nobody looks on where a supervisor starts it, nor is 4 s well spent on a check.
    for (String command : List.of("run", "check", "train")) {
      assertTrue(!started(environment, command).contains("-XX:AOTCache=" + cache), command);
    }
    assertTrue(started(environment, "demo").contains("-XX:AOTCache=" + cache));
    assertTrue(started(environment, "run").contains("-XX:AOTCache=" + cache));
    assertEquals(
        List.of("train", "demo", "run", "check", "train", "train", "demo", "run"), commands());
  }

  @Test
  void aCacheThatWasInterruptedIsMadeByTheNextStart() throws IOException {
    assumeFalse(isInterruptIgnored(), "SIGINT is ignored here, as behind a shell's & is usual");
    Map<String, String> environment = makeClone("25.0.3");
    Path java = folder.resolve("jdk/bin/java");
    String whole = Files.readString(java);
    Files.writeString(java, whole + "[ \"$word\" != train ] || kill -INT $PPID\n");
    assertEquals(130, Program.at(folder.resolve("weir")).run(environment, "demo").exitCode());
    assertEquals(List.of("train"), commands());
    try (Stream<Path> left = Files.list(folder.resolve("proxy/sidecar/target"))) {
      assertTrue(left.noneMatch(file -> file.toString().matches(".*(making|aot).*")));
    }
    Files.writeString(java, whole);
    String option = "-XX:AOTCache=" + folder.resolve("proxy/sidecar/target/weir-25.0.3.aot");
    assertTrue(started(environment, "demo").contains(option));
  }

  /** What a process ignores, its children do too, and a shell cannot trap. */
  private static boolean isInterruptIgnored() throws IOException {
    if (!Files.exists(STATUS)) {
      return false;
    }
    try (Stream<String> lines = Files.lines(STATUS)) {
      return lines
          .filter(line -> line.startsWith("SigIgn:"))
          .mapToLong(line -> Long.parseUnsignedLong(line.substring(7).strip(), 16))
          .anyMatch(mask -> (mask & 1 << SIGINT - 1) != 0);
    }
  }

  @Test
  void aCacheThatCannotBeMadeIsTriedOncePerJar() throws IOException {
    Map<String, String> environment = makeClone("25.0.3");
    Path java = folder.resolve("jdk/bin/java");
    Files.writeString(java, Files.readString(java) + "[ \"$word\" != train ]\n");
    List<String> first = started(environment, "demo");
    Path log = folder.resolve("proxy/sidecar/target/weir-25.0.3.aot.log");
    assertTrue(first.contains("weir: no cache for quick starts, see " + log), first.toString());
    started(environment, "demo");
    assertEquals(List.of("train", "demo", "demo"), commands());
    Files.setLastModifiedTime(log, FileTime.fromMillis(0)); // as after another build
    started(environment, "demo");
    assertEquals(List.of("train", "demo", "demo", "train", "demo"), commands());
  }

  @Test
  void whyThereIsNoCacheIsSaidInItsLogAlone() throws IOException {
    Map<String, String> environment = makeClone("25.0.3");
    Path java = folder.resolve("jdk/bin/java");
    Files.writeString(java, Files.readString(java).replace("AOTCacheOutput", "None"));
    List<String> first = started(environment, "demo");
    Path log = folder.resolve("proxy/sidecar/target/weir-25.0.3.aot.log");
    assertTrue(first.contains("weir: no cache for quick starts, see " + log), first.toString());
    assertTrue(first.stream().noneMatch(line -> line.startsWith("mv:")), first.toString());
    assertTrue(Files.readString(log).contains("mv:"));
  }

  @Test
  void aCacheThatCannotBeMadeWithSomeOptionsIsTriedWithOthers() throws IOException {
    Map<String, String> environment = new HashMap<>(makeClone("25.0.3"));
    Path java = folder.resolve("jdk/bin/java");
    Files.writeString(
        java,
        "#!/bin/sh\ncase \" $* \" in *' -XX:+Mistyped '*) exit 1 ;; esac\n"
            + Files.readString(java).replace("#!/bin/sh\n", ""));
    environment.put("WEIR_JAVA_OPTS", "-XX:+Mistyped");
    for (int i = 0; i < 2; i++) {
      assertEquals(1, Program.at(folder.resolve("weir")).run(environment, "demo").exitCode());
    }
    environment.remove("WEIR_JAVA_OPTS");
    assertTrue(started(environment, "demo").toString().contains("-XX:AOTCache="));
  }

  @Test
  void aJavaThatDoesNotKnowWhatComesWithACacheMakesNone() throws IOException {
    Map<String, String> environment = makeClone("27.0.1");
    Path java = folder.resolve("jdk/bin/java");
    Files.writeString(
        java,
        "#!/bin/sh\ncase \" $* \" in *' -XX:Tier'*) exit 1 ;; esac\n"
            + Files.readString(java).replace("#!/bin/sh\n", ""));
    for (int i = 0; i < 2; i++) {
      List<String> command = started(environment, "demo");
      assertTrue(command.stream().noneMatch(word -> word.contains("AOTCache")), command.toString());
    }
    assertEquals(List.of("demo", "demo"), commands());
  }

  @Test
  void startsFromATreeThatItMayNotWriteTo() throws IOException {
    Map<String, String> environment = makeClone("21.0.1");
    started(environment, "demo");
    Files.writeString(folder.resolve("jdk/release"), "JAVA_VERSION=\"25.0.3\"\n");
    Path target = folder.resolve("proxy/sidecar/target");
    List<Path> folders = List.of(target, folder.resolve("target"));
    folders.forEach(each -> assertTrue(each.toFile().setWritable(false)));
    Files.deleteIfExists(folder.resolve("commands"));
    try (Stream<Path> locks = Files.list(folders.get(1))) {
      locks.forEach(each -> assertTrue(each.toFile().setWritable(false)));
    }
    try {
      List<String> lines =
          Files.isWritable(target) // by root, who may anything
              ? Program.find("setpriv")
                  .run(
                      environment,
                      "--bounding-set",
                      "-all",
                      folder.resolve("weir").toString(),
                      "demo")
                  .succeeded()
                  .lines()
                  .toList()
              : started(environment, "demo");
      assertEquals(folder.resolve("jdk/bin/java").toString(), lines.get(0), lines.toString());
      assertTrue(lines.stream().noneMatch(word -> word.contains("AOTCache")), lines.toString());
    } finally {
      folders.forEach(each -> assertTrue(each.toFile().setWritable(true)));
    }
  }

  @Test
  void aStartDoesNotWaitForACacheThatAnotherIsMaking() throws IOException {
    Map<String, String> environment = makeClone("25.0.3");
    Files.writeString(folder.resolve("jdk/release"), "JAVA_VERSION=\"21.0.1\"\n");
    started(environment, "demo");
    Files.writeString(folder.resolve("jdk/release"), "JAVA_VERSION=\"25.0.3\"\n");
    Path lock = folder.resolve("proxy/sidecar/target/prepare.lock");
    Program.find("flock")
        .run(environment, lock.toString(), folder.resolve("weir").toString(), "demo")
        .succeeded();
    assertEquals(List.of("demo", "demo"), commands());
  }

  @Test
  void aCloneLaysTheLibrariesBesideTheJarAfterItsBuild() throws IOException {
    Map<String, String> environment = makeClone("21.0.1");
    Path target = folder.resolve("proxy/sidecar/target");
    String option = "-Djava.library.path=" + target.resolve("native");
    assertTrue(started(environment, "demo").contains(option));
    assertTrue(Files.exists(target.resolve("native/lib.so")));
    assertTrue(Files.notExists(target.resolve("META-INF")));
    assertTrue(started(environment, "demo").contains(option));
    // Of another jar: their version may not be that of the classes.
    Files.setLastModifiedTime(target.resolve("native"), FileTime.fromMillis(0));
    assertTrue(!started(environment, "check").contains(option));
    assertTrue(started(environment, "demo").contains(option));
  }

  @Test
  void aCloneWhoseJdkHasNoJarStartsWithTheLibrariesInTheJar() throws IOException {
    Map<String, String> environment = makeClone("21.0.1");
    Files.delete(folder.resolve("jdk/bin/jar"));
    List<String> first = started(environment, "demo");
    assertTrue(first.contains("weir: Netty's libraries stay in the jar"), first.toString());
    assertTrue(first.stream().noneMatch(word -> word.contains("java.library.path")));
  }

  @Test
  void whatOnlyNewerJavasKnowIsNotSaidToOlderOnes() throws IOException {
    List<String> newOnes = started(Map.of("PATH", ""), "demo");
    assertTrue(newOnes.contains("--sun-misc-unsafe-memory-access=allow"), newOnes.toString());
    assertTrue(newOnes.contains("-XX:TrimNativeHeapInterval=1000"), newOnes.toString());
    Files.writeString(folder.resolve("runtime/release"), "JAVA_VERSION=\"17.0.1\"\n");
    List<String> old = started(Map.of("PATH", ""), "demo");
    assertTrue(old.stream().noneMatch(word -> word.contains("unsafe-memory")), old.toString());
    assertTrue(old.stream().noneMatch(word -> word.contains("TrimNativeHeap")), old.toString());
  }

  @Test
  void aCloneMakesNoCacheWhereJavaCannot() throws IOException {
    List<String> first = started(makeClone("21.0.1"), "demo");
    assertTrue(first.stream().noneMatch(line -> line.contains("cache")), first.toString());
  }

  @Test
  void theImageIsStartedAsThePackageIs() throws IOException {
    Files.writeString(folder.resolve("weir.aot"), "");
    List<String> image = new ArrayList<>();
    String pom = Repository.read(Repository.DEPLOY.resolve("pom.xml"));
    String entrypoint = pom.substring(pom.indexOf("<entrypoint>"), pom.indexOf("</entrypoint>"));
    Pattern.compile("<arg>(.*)</arg>")
        .matcher(entrypoint)
        .results()
        .forEach(word -> image.add(word.group(1).replace("/usr/lib/weir", folder.toString())));
    assertEquals(started(Map.of("PATH", "")), image);
  }
}
