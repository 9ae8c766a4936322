package dev.weir.proxy.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.control.SettingRow;
import dev.weir.proxy.control.SettingsFlags;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

class RunFlagsTest {
  @Test
  void offerEveryRowWithItsHelp() {
    CommandSpec run = WeirCommand.commandLine().getSubcommands().get("run").getCommandSpec();
    assertEquals(SettingsFlags.rows().size(), RunFlags.ALL.size());
    for (SettingRow<?> row : SettingsFlags.rows()) {
      OptionSpec option = run.findOption(row.flag());
      assertNotNull(option, row.flag());
      assertEquals(row.kind().label(), option.paramLabel(), row.flag());
      assertEquals(row.help(), option.description()[0], row.flag());
      if (row.text().contains("default %s")) {
        assertTrue(option.description()[0].contains(row.standard()), row.flag());
      }
    }
  }

  /** What the help should show first and does not have is a name that has changed. */
  @Test
  void nameNothingForTheOrderOfTheHelpThatThereIsNot() {
    for (String name : RunFlags.ORDER) {
      assertTrue(
          RunFlags.ALL.stream()
              .map(SettingRow::name)
              .anyMatch(flag -> flag.equals(name) || flag.startsWith(name + ".")),
          name);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "--limt, --limit",
    "--limits=5/1s, --limit",
    "--upstraem, --upstream",
    "--ring-keys, --table.ring-keys",
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
