package dev.weir.proxy.manual;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.cli.WeirCommand;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.rig.RawClient;
import dev.weir.proxy.rig.Rig;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/**
 * The steps of docs/plans.md, as a sidecar with records in a folder answers them: commands and
 * requests, on a clock that only moves where the page says so.
 */
@Timeout(120)
class PlansPageTest {
  private static final Path PAGE = ManualPage.root().resolve("docs/plans.md");
  private static final Pattern COMMAND = Pattern.compile("\\| `weir ([^`]*)` \\| (.*) \\|");
  private static final Pattern CODE = Pattern.compile("`([^`]+)`");
  private static final String TOKEN = "editors-token-0123456789";

  @TempDir private Path folder;

  private final AtomicLong nowNs = new AtomicLong(Rig.nextNoonNs());

  private String settings(List<String> lines) throws Exception {
    Path tokens = folder.resolve("tokens");
    byte[] hash =
        MessageDigest.getInstance("SHA-256").digest(TOKEN.getBytes(StandardCharsets.UTF_8));
    Files.writeString(tokens, "eddy editor " + HexFormat.of().formatHex(hash) + "\n");
    Files.writeString(folder.resolve("token"), TOKEN);
    String file =
        String.join("\n", lines.subList(lines.indexOf("```yaml") + 1, lines.lastIndexOf("```")));
    return file.replace("127.0.0.1:9090", "127.0.0.1:0")
        .replace("/etc/weir/tokens", tokens.toString())
        .replace("/var/lib/weir", folder.resolve("records").toString());
  }

  @Test
  void eachStepAnswersAsThePageSays() throws Exception {
    List<String> lines = Files.readAllLines(PAGE);
    int steps = 0;
    try (Rig rig = Rig.ofFile("nio", settings(lines), nowNs::get)) {
      for (String line : lines) {
        Matcher command = COMMAND.matcher(line);
        if (command.matches()) {
          run(rig, command.group(1), command.group(2));
          steps++;
        } else if (line.startsWith("| ") && !line.equals("| Step | Answer |")) {
          send(rig, TrafficRow.of(line, Map.of()));
          steps++;
        }
      }
    }
    assertEquals(21, steps);
  }

  private void run(Rig rig, String command, String answer) {
    List<String> words = new ArrayList<>(ManualPage.words(command));
    int until = words.indexOf("--until") + 1;
    if (until > 0) { // from now on by the clock of the requests
      words.set(until, time(Integer.parseInt(words.get(until).replace("h", ""))));
    }
    words.add("--token-file=" + folder.resolve("token"));
    words.add("--admin=" + address(rig));
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine weir = WeirCommand.commandLine();
    weir.setOut(new PrintWriter(out));
    weir.setErr(new PrintWriter(err));
    assertEquals(0, weir.execute(words.toArray(String[]::new)), command + ": " + err);
    CODE.matcher(answer)
        .results()
        .forEach(part -> assertTrue(out.toString().contains(part.group(1)), command + ": " + out));
  }

  private String time(int hours) {
    long unixNs = nowNs.get() - LoopClock.unixEpochNs();
    return Instant.ofEpochSecond(0, unixNs).plusSeconds(TimeUnit.HOURS.toSeconds(hours)).toString();
  }

  private static String address(Rig rig) {
    return "127.0.0.1:" + ((InetSocketAddress) rig.sidecar.adminAddress()).getPort();
  }

  private void send(Rig rig, TrafficRow row) throws Exception {
    nowNs.addAndGet(row.later().toNanos());
    try (RawClient client = rig.connect()) {
      for (int i = 1; i <= row.times(); i++) {
        RawClient.Response answer = client.send(row.request() + "\r\n").read();
        String at = row.text() + " <- " + i + ": " + answer.head() + answer.body();
        assertEquals(row.status(), answer.status(), at);
        for (String expected : row.expected()) {
          assertTrue(answer.head().contains("\r\n" + expected + "\r\n"), at);
        }
      }
    }
  }
}
