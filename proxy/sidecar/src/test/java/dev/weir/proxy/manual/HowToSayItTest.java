package dev.weir.proxy.manual;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.rig.RawClient;
import dev.weir.proxy.rig.Rig;
import dev.weir.proxy.token.TestTokens;
import java.io.IOException;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.jose4j.jwk.PublicJsonWebKey;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each example of docs/how-to-say-it.md: its file is read, and its traffic sent to a sidecar over
 * sockets, whose clock only moves where the table says so.
 */
@Timeout(60)
class HowToSayItTest {
  private static final String PAGE = "docs/how-to-say-it.md";
  private static final String KEYS = "/etc/weir/jwks.json";
  private static final String TRUSTED = "trusted-proxies: ";

  /** That nothing came yet, not that nothing comes. */
  private static final int SILENCE_MS = 60;

  private static final Map<String, String> TOKENS = new HashMap<>();

  @TempDir private static Path folder;

  /**
   * An example of the page.
   *
   * @param file all that is fenced as YAML under its heading.
   */
  record Example(String heading, String file, List<TrafficRow> traffic) {
    @Override
    public String toString() {
      return heading;
    }
  }

  @BeforeAll
  static void writeKeys() throws Exception {
    Files.writeString(folder.resolve("jwks.json"), keys());
  }

  /** The keys of an issuer, which made tokens of users. */
  private static String keys() {
    PublicJsonWebKey key = TestTokens.key("P-256", "1");
    for (String user : List.of("ann", "bob")) {
      String claims =
          "{\"iss\":\"https://id.example.com\",\"exp\":4102444800,\"sub\":\"" + user + "\"}";
      TOKENS.put(user, TestTokens.token(key, "ES256", claims));
    }
    String stranger = TestTokens.token(TestTokens.key("P-256", "1"), "ES256", "{\"sub\":\"ann\"}");
    TOKENS.put("nobody", stranger);
    return TestTokens.keySet(key);
  }

  static List<Example> examples() throws Exception {
    if (TOKENS.isEmpty()) {
      writeKeys();
    }
    List<Example> examples = new ArrayList<>();
    String heading = "";
    StringBuilder file = new StringBuilder();
    List<TrafficRow> traffic = new ArrayList<>();
    boolean isFenced = false;
    for (String line : Files.readAllLines(ManualPage.root().resolve(PAGE))) {
      if (line.startsWith("```")) {
        isFenced = line.equals("```yaml");
      } else if (isFenced) {
        file.append(line).append('\n');
      } else if (line.startsWith("#")) {
        add(examples, heading, file, traffic);
        heading = line.replaceFirst("#+ ", "");
        file.setLength(0);
        traffic = new ArrayList<>();
      } else if (line.startsWith("| ") && !line.equals("| Request | Answer |")) {
        traffic.add(TrafficRow.of(line, TOKENS));
      }
    }
    add(examples, heading, file, traffic);
    return examples;
  }

  private static void add(
      List<Example> examples, String heading, StringBuilder file, List<TrafficRow> traffic) {
    boolean hasFile = file.length() > 0;
    assertEquals(hasFile, !traffic.isEmpty(), heading + ": a file, and traffic");
    if (hasFile) {
      examples.add(new Example(heading, file.toString(), traffic));
    }
  }

  @ParameterizedTest
  @MethodSource("examples")
  void answersAsThePageSays(Example example) throws Exception {
    String file = example.file.replace(KEYS, folder.resolve("jwks.json").toString());
    if (!file.contains(TRUSTED)) {
      file = TRUSTED + "[127.0.0.1]\n" + file;
    }
    AtomicLong nowNs = new AtomicLong(Rig.nextNoonNs());
    List<String> wrong = new ArrayList<>();
    try (Rig rig = Rig.ofFile("nio", file, nowNs::get)) {
      String before = null;
      for (TrafficRow row : example.traffic) {
        nowNs.addAndGet(row.later().toNanos());
        before = row.request() == null ? before : row.request();
        for (int i = 1; i <= row.times(); i++) {
          String fault = fault(row, ask(rig, row, before, nowNs));
          if (!fault.isEmpty()) {
            wrong.add(row.text() + " <- " + i + ": " + fault);
            break;
          }
        }
      }
    }
    assertEquals("", String.join("\n", wrong));
  }

  private static RawClient.Response ask(Rig rig, TrafficRow row, String request, AtomicLong nowNs)
      throws Exception {
    boolean hasContent = request.startsWith("P");
    String length = hasContent ? "Content-Length: " + row.bodyBytes() + "\r\n" : "";
    rig.origin.answer(row.service());
    try (RawClient client = rig.connect()) {
      client.send(request + length + "\r\n");
      sendContent(client, row.bodyBytes());
      if (!row.held().isZero()) {
        assertTrue(client.isSilent(SILENCE_MS), row.text());
        nowNs.addAndGet(row.held().toNanos());
      }
      return client.read();
    }
  }

  private static void sendContent(RawClient client, int bytes) throws IOException {
    try {
      client.send("x".repeat(bytes));
    } catch (SocketException refused) {
      // The request has been answered by its head, and the connection closed.
    }
  }

  /** What is not as the row says; empty if all is. */
  private static String fault(TrafficRow row, RawClient.Response answer) {
    boolean isRight = answer.status() == row.status();
    for (String expected : row.expected()) {
      isRight &=
          TrafficRow.isField(expected)
              ? answer.head().contains("\r\n" + expected + "\r\n")
              : answer.body().contains(expected);
    }
    for (String name : row.absent()) {
      isRight &= answer.field(name) == null;
    }
    return isRight ? "" : answer.head() + answer.body();
  }
}
