package dev.weir.deploy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The launcher in the folder of a package, whose java prints what it was started with. */
class LauncherTest {
  private static final String JAVA = "#!/bin/sh\nprintf '%s\\n' \"$0\" \"$@\"\n";

  @TempDir private Path folder;

  /** As {@code packages/make} lays it out. */
  @BeforeEach
  void install() throws IOException {
    Files.copy(Repository.ROOT.resolve("weir"), folder.resolve("weir"));
    Files.writeString(folder.resolve("weir.jar"), "");
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
  void isReachedByALinkFromElsewhere() throws IOException {
    Path link = Files.createSymbolicLink(folder.resolve("link"), Path.of("weir"));
    List<String> command =
        Program.at(link).run(Map.of("PATH", "/usr/bin:/bin"), "demo").succeeded().lines().toList();
    assertEquals(folder.resolve("runtime/bin/java").toString(), command.get(0));
  }

  @Test
  void takesACacheWhereThePackageHasOne() throws IOException {
    String option = "-XX:AOTCache=" + folder.resolve("weir.aot");
    assertTrue(!started(Map.of("PATH", ""), "demo").contains(option));
    Files.writeString(folder.resolve("weir.aot"), "");
    assertTrue(started(Map.of("PATH", ""), "demo").contains(option));
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
        folder.resolve("mvnw"), "mkdir -p proxy/target && : >proxy/target/weir.jar\n");
    Path bin = Files.createDirectories(folder.resolve("jdk/bin"));
    Files.writeString(
        bin.resolve("java"),
        JAVA
            + "for word; do case $word in -XX:AOTCacheOutput=*) : >\"${word#*=}\" ;; esac; done\n"
            + "printf '%s\\n' \"$word\" >>'"
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
    Path cache = folder.resolve("proxy/target/weir-25.0.3.aot");
    assertTrue(Files.exists(cache));
    assertEquals(List.of("train", "demo"), Files.readAllLines(folder.resolve("commands")));
    List<String> second = started(environment, "demo");
    assertTrue(second.contains("-XX:AOTCache=" + cache), second.toString());
    assertEquals(folder.resolve("jdk/bin/java").toString(), second.get(0));
    // Of another jar, and it is left alone: it would be refused.
    Files.setLastModifiedTime(cache, FileTime.fromMillis(0));
    assertTrue(!started(environment, "demo").contains("-XX:AOTCache=" + cache));
  }

  @Test
  void aCloneLaysTheLibrariesBesideTheJarAfterItsBuild() throws IOException {
    Map<String, String> environment = makeClone("21.0.1");
    Path target = folder.resolve("proxy/target");
    String option = "-Djava.library.path=" + target.resolve("native");
    assertTrue(started(environment, "demo").contains(option));
    assertTrue(Files.exists(target.resolve("native/lib.so")));
    assertTrue(Files.notExists(target.resolve("META-INF")));
    assertTrue(started(environment, "demo").contains(option));
    // Of another jar: their version may not be that of the classes.
    Files.setLastModifiedTime(target.resolve("native"), FileTime.fromMillis(0));
    assertTrue(!started(environment, "demo").contains(option));
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
    assertTrue(newOnes.contains("-XX:TrimNativeHeapInterval=5000"), newOnes.toString());
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
