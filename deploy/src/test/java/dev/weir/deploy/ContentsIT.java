package dev.weir.deploy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the packages say of what is in them: the list of components, licences and sums. */
@Timeout(120)
class ContentsIT {
  /** pkg:maven/GROUP/NAME@VERSION?classifier=CLASSIFIER&type=jar. */
  private static final Pattern LIBRARY =
      Pattern.compile(
          "pkg:maven/(?<group>[^/]+)/(?<name>[^@]+)@(?<version>[^?]+)\\?"
              + "(classifier=(?<classifier>[^&]+)&)?type=jar");

  @TempDir private Path folder;
  private Path home;
  private JsonArray components;

  @BeforeEach
  void unpack() throws IOException {
    Distribution.assumeMade();
    home = Distribution.unpack("weir-VERSION.tar.gz", folder);
    components =
        JsonParser.parseString(Repository.read(home.resolve("weir.cdx.json")))
            .getAsJsonObject()
            .getAsJsonArray("components");
  }

  /** The libraries that are not our own modules. */
  private List<Matcher> libraries() {
    List<Matcher> libraries = new ArrayList<>();
    for (JsonElement component : components) {
      String purl = component.getAsJsonObject().get("purl").getAsString();
      Matcher library = LIBRARY.matcher(purl);
      assertTrue(library.matches(), purl);
      if (!library.group("group").equals("dev.weir")) {
        libraries.add(library);
      }
    }
    return libraries;
  }

  private static String file(Matcher library) {
    String classifier = library.group("classifier");
    return library.group("name")
        + "-"
        + library.group("version")
        + (classifier == null ? "" : "-" + classifier);
  }

  private static Path jarOf(Matcher library) {
    return Path.of(System.getProperty("weir.repository"))
        .resolve(library.group("group").replace('.', '/'))
        .resolve(library.group("name"))
        .resolve(library.group("version"))
        .resolve(file(library) + ".jar");
  }

  private static Set<String> entries(Path jar) throws IOException {
    try (ZipFile zip = new ZipFile(jar.toFile())) {
      return zip.stream()
          .map(Object::toString)
          .filter(entry -> entry.endsWith(".class") || entry.endsWith(".so"))
          .collect(Collectors.toCollection(TreeSet::new));
    }
  }

  @Test
  void everyClassAndLibraryInTheJarIsOfAComponentThatIsNamed() throws IOException {
    Set<String> unnamed = entries(home.resolve("weir.jar"));
    unnamed.removeIf(entry -> entry.startsWith("dev/weir/"));
    for (Matcher library : libraries()) {
      unnamed.removeAll(entries(jarOf(library)));
    }
    assertEquals(Set.of(), unnamed);
  }

  /** Classes that are left out would be missed at run time only. */
  @Test
  void noClassRefersToWhatIsLeftOutOfALibrary() throws IOException {
    Path jar = home.resolve("weir.jar");
    Set<String> kept = packages(entries(jar));
    Set<String> leftOut = new TreeSet<>();
    for (Matcher library : libraries()) {
      leftOut.addAll(packages(entries(jarOf(library))));
    }
    leftOut.removeAll(kept);
    assertFalse(leftOut.isEmpty());
    Pattern name =
        Pattern.compile(
            leftOut.stream()
                .map(each -> Pattern.quote(each + "/") + "[A-Z]")
                .collect(Collectors.joining("|")));
    Set<String> found = new TreeSet<>();
    try (ZipFile zip = new ZipFile(jar.toFile())) {
      for (String entry : entries(jar)) {
        try (InputStream in = zip.getInputStream(zip.getEntry(entry))) {
          String constants = new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
          Matcher reference = name.matcher(constants.replace('.', '/'));
          if (reference.find()) {
            found.add(entry + " -> " + reference.group());
          }
        }
      }
    }
    assertEquals(Set.of(), found);
  }

  private static Set<String> packages(Set<String> entries) {
    return entries.stream()
        .filter(entry -> entry.endsWith(".class") && !entry.startsWith("META-INF/"))
        .filter(entry -> entry.contains("/"))
        .map(entry -> entry.substring(0, entry.lastIndexOf('/')))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  @Test
  void everyComponentHasALicence() {
    String list = Repository.read(home.resolve("licences/THIRD-PARTY.txt"));
    assertFalse(list.contains("Unknown license"), list);
    for (JsonElement each : components) {
      JsonObject component = each.getAsJsonObject();
      assertTrue(
          component.has("licenses") && !component.getAsJsonArray("licenses").isEmpty(),
          component::toString);
    }
    for (Matcher library : libraries()) {
      String coordinates =
          library.group("group") + ":" + library.group("name") + ":" + library.group("version");
      assertTrue(list.contains("(" + coordinates + " "), coordinates + " has no line");
    }
  }

  /** What they say is theirs to say: a notice has to go where its library goes. */
  @Test
  void noticesOfLibrariesAreInTheirFolders() throws IOException {
    for (Matcher library : libraries()) {
      try (ZipFile zip = new ZipFile(jarOf(library).toFile())) {
        for (String notice : List.of("META-INF/NOTICE", "META-INF/NOTICE.txt", "NOTICE")) {
          if (zip.getEntry(notice) != null) {
            Path kept = home.resolve("licences").resolve(file(library) + "-jar").resolve(notice);
            assertTrue(Files.exists(kept), kept::toString);
          }
        }
      }
    }
  }

  @Test
  void nothingOfTheTestsIsInThem() throws IOException {
    for (String test : List.of("junit", "archunit", "embedded-redis", "grpc-netty")) {
      assertFalse(Repository.read(home.resolve("weir.cdx.json")).contains(test), test);
    }
    Path jar = home.resolve("weir.jar");
    assertTrue(entries(jar).stream().noneMatch(entry -> entry.endsWith("Test.class")));
  }

  @Test
  void theRuntimeHasItsLicences() throws IOException {
    Path whole = Distribution.unpack("weir-VERSION-linux-x86_64.tar.gz", folder);
    Path modules = whole.resolve("runtime/legal");
    assertTrue(Files.exists(modules.resolve("java.base/LICENSE")));
    try (Stream<Path> each = Files.list(modules)) {
      List<Path> without = each.filter(module -> !Files.exists(module.resolve("LICENSE"))).toList();
      assertEquals(List.of(), without);
    }
    assertTrue(Files.exists(whole.resolve("LICENSE")));
    assertTrue(Repository.read(whole.resolve("weir.cdx.json")).contains("\"openjdk\""));
    assertTrue(Files.exists(whole.resolve("licences/THIRD-PARTY.txt")));
  }
}
