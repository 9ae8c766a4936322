package dev.weir.proxy.token;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.rig.WeirProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A start pays nothing for what is not configured. */
@Timeout(120)
class PlainStartIT {
  /** Classes that a plain start does not need, and that took a tenth of it to initialize. */
  private static final List<String> DEAR = List.of("java.math.BigDecimal");

  @Test
  void loadsNoDearClassOfTheJdk(@TempDir Path folder) throws Exception {
    assertEquals(List.of(), loaded(folder, DEAR));
  }

  @Test
  void loadsNoClassOfTokensWhereNoneAreRead(@TempDir Path folder) throws Exception {
    assertEquals(
        List.of("dev.weir.proxy.token.TokenSettings"),
        loaded(folder, List.of("org.jose4j.", "dev.weir.proxy.token.")));
  }

  /** Nothing is loaded but what the plan of nobody says, and four types of what may ask. */
  @Test
  void loadsNoClassOfRecordsNorOfTheApiWhereNeitherIsConfigured(@TempDir Path folder)
      throws Exception {
    List<String> beginnings =
        List.of(
            "dev.weir.proxy.records.",
            "dev.weir.proxy.api.",
            "dev.weir.proxy.admission.RecordedUsers",
            "dev.weir.algorithms.UserTable");
    assertEquals(
        Set.of(
            "dev.weir.proxy.admission.RecordedUsers$Waiter",
            "dev.weir.proxy.api.CandidateRules",
            "dev.weir.proxy.api.TopCounts",
            "dev.weir.proxy.api.UserLimits",
            "dev.weir.proxy.records.RecordName",
            "dev.weir.proxy.records.RecordName$Kind",
            "dev.weir.proxy.records.UserOverride",
            "dev.weir.proxy.records.UserRecord"),
        Set.copyOf(loaded(folder, beginnings)));
  }

  @Test
  void loadsTheLibraryWhereTokensAreRead(@TempDir Path folder) throws Exception {
    Path keys = folder.resolve("jwks.json");
    Files.writeString(keys, TestTokens.keySet(TestTokens.key("Ed25519", "k")));
    List<String> loaded =
        loaded(folder, List.of("org.jose4j."), "--jwt.keys=" + keys, "--key=jwt:sub");
    assertTrue(loaded.contains("org.jose4j.jwk.JsonWebKeySet"), loaded::toString);
  }

  private static List<String> loaded(Path folder, List<String> beginnings, String... flags)
      throws IOException {
    Path classes = folder.resolve("classes.log");
    List<String> arguments =
        new ArrayList<>(List.of("--upstream=http://127.0.0.1:1", "--limit=10/1m"));
    arguments.addAll(List.of(flags));
    List<String> log = List.of("-Xlog:class+load:file=" + classes + "::filesize=0");
    WeirProcess.run(folder, List.of(), log, arguments.toArray(String[]::new)).close();
    return Files.readAllLines(classes).stream()
        .map(line -> line.replaceFirst("^(\\[[^]]*\\])* *", "").split(" ")[0])
        .filter(name -> beginnings.stream().anyMatch(name::startsWith))
        .distinct()
        .toList();
  }
}
