package dev.weir.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weir.proxy.control.SettingsFlags;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RunFlagsTest {
  @Test
  void offerEverySettingAndNoOther() {
    assertEquals(
        SettingsFlags.names(),
        RunFlags.ALL.stream()
            .map(RunFlags.Flag::name)
            .collect(Collectors.toCollection(TreeSet::new)));
  }

  @ParameterizedTest
  @CsvSource({
    "--limt, --limit",
    "--limits=5/1s, --limit",
    "--upstraem, --upstream",
    "--keys, --table.keys",
    "--drain, --timeouts.drain",
    "--path, --match.path",
    "--conifg, --config",
    "--xyzzy,",
    "--,",
    "-x,",
    "-,"
  })
  void suggestWhatIsNear(String unknown, String nearest) {
    assertEquals(nearest, RunFlags.nearest(unknown));
  }
}
