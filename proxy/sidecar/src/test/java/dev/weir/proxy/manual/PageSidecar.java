package dev.weir.proxy.manual;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import dev.weir.proxy.cli.WeirCommand;
import dev.weir.proxy.control.Faults;
import dev.weir.proxy.control.RuleReload;
import dev.weir.proxy.control.Settings;
import dev.weir.proxy.control.SettingsFile;
import dev.weir.proxy.loop.Addresses;
import dev.weir.proxy.manual.ManualPage.Block;
import dev.weir.proxy.wiring.Sidecar;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import picocli.CommandLine;

/**
 * A sidecar with the settings of a page of the manual, and commands of the page against it. Callers
 * are eddy, an editor, and ada, an admin. Files that commands name are in a folder of the test.
 */
public final class PageSidecar implements AutoCloseable {
  /** Of ada. */
  public static final String ADMIN = "adas-token-0123456789";

  private static final String EDITOR = "eddys-token-0123456789";

  private final Path folder;
  private final Sidecar sidecar;
  private final RuleReload file;

  /**
   * What a command has printed.
   *
   * @param text of standard output and standard error.
   */
  public record Done(int code, String text) {}

  /**
   * @param page has the settings, in a block of YAML.
   * @param block which of them, from 0.
   * @param redis the address of the Redis that the page calls 127.0.0.1:6379; null for none.
   */
  public PageSidecar(ManualPage page, int block, Path folder, String redis) throws Exception {
    this.folder = folder;
    Path tokens = folder.resolve("tokens");
    Files.writeString(
        tokens, "eddy editor " + sha256(EDITOR) + "\nada admin " + sha256(ADMIN) + "\n");
    Files.writeString(folder.resolve("eddy"), EDITOR);
    Files.writeString(folder.resolve("ada"), ADMIN);
    String text =
        blocks(page, "yaml")
            .get(block)
            .text()
            .replace("/etc/weir/tokens", tokens.toString())
            .replace("/var/lib", folder.toString());
    text = redis == null ? text : text.replace("127.0.0.1:6379", redis);
    Path path = folder.resolve("weir.yaml");
    Files.writeString(
        path,
        "upstream: http://127.0.0.1:9\nlisten: 127.0.0.1:0\nadmin: 127.0.0.1:0\n"
            + "event-loops: 1\ntable: {keys: 1000}\n"
            + text);
    Files.writeString(folder.resolve("rules.yaml"), text.replaceFirst("(?s).*\nusers:", "users:"));
    Faults faults = Faults.ofFile(path.toString());
    Settings settings = new SettingsFile().read(path, faults);
    assertNotNull(settings, faults.toString());
    sidecar = Sidecar.start(settings);
    file = new RuleReload(path, settings, sidecar.ruleReloads(), sidecar.ruleChoice());
    sidecar.follow(file);
  }

  private static String sha256(String text) throws Exception {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
  }

  private static List<Block> blocks(ManualPage page, String language) {
    return page.blocks().stream().filter(block -> block.language().equals(language)).toList();
  }

  /** The commands of a page's block of a shell, from 0. */
  public static List<String> commands(ManualPage page, int block) {
    return blocks(page, "sh").get(block).commands();
  }

  /** What a page shows in a block of text, from 0. */
  public static String shown(ManualPage page, int block) {
    return blocks(page, "text").get(block).text().strip();
  }

  public String admin() {
    return Addresses.text(sidecar.adminAddress());
  }

  /** The limit of the first rule in use. */
  public String limitInUse() {
    return sidecar.rules().rules().get(0).spec().budgets().get(0).limit().rate().toString();
  }

  /** Runs a command that must succeed; returns what it has printed. */
  public String run(String by, String command) throws IOException {
    Done done = tryToRun(by, command);
    assertEquals(0, done.code(), command + ": " + done.text());
    return done.text();
  }

  /**
   * Runs a command.
   *
   * @param by who sends it.
   * @param command such as {@code ./weir audit export > FILE}.
   */
  public Done tryToRun(String by, String command) throws IOException {
    List<String> words = new ArrayList<>();
    Path target = null;
    List<String> all = ManualPage.words(command);
    for (String word : all.subList(1, all.size())) {
      if (word.matches("[a-z-]+\\.(yaml|json|ndjson)")) {
        words.add(folder.resolve(word).toString());
      } else {
        words.add(word.replace("/var/lib", folder.toString()));
      }
    }
    int redirect = words.indexOf(">");
    if (redirect >= 0) {
      target = Path.of(words.get(redirect + 1));
      words = words.subList(0, redirect);
    }
    if (!words.contains("verify")) { // which asks nobody
      words.addAll(List.of("--admin", admin(), "--token-file", folder.resolve(by).toString()));
    }
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine weir = WeirCommand.commandLine();
    weir.setOut(new PrintWriter(out));
    weir.setErr(new PrintWriter(err));
    int code = weir.execute(words.toArray(String[]::new));
    if (target != null) {
      Files.writeString(target, out.toString());
      return new Done(code, err.toString());
    }
    return new Done(code, out.toString() + err);
  }

  @Override
  public void close() {
    file.close();
    sidecar.close();
  }
}
