package dev.weir.proxy.explain;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class CurlLineTest {
  private static final Path CURL = Path.of("/usr/bin/curl");

  /** What curl sends is what is explained, but for its version. */
  @Test
  void readsALineAsCurlDoes() throws Exception {
    assumeTrue(Files.isExecutable(CURL), "no curl here");
    String[] lines = {
      "URL/a?b=c#d",
      "-X DELETE URL/a -H x-user-id:7 -H X-Env:prod",
      "-sSX PUT URL -HA:b -H accept: -H User-Agent:me",
      "-d a=b -d c=d URL/x",
      "-Gd a=b URL/x",
      "-Gd a=b URL/x?y=z#f",
      "-I URL/x",
      "--json {} URL/x",
      "-u me:secret URL",
      "--oauth2-bearer t0ken URL",
      "-b a=b -b c=d -A me -e http://x/ URL",
      "-H X-Empty; -H Host:other.example URL/x",
      "--data-raw @a URL -X PATCH",
      "-kisf -m 5 --connect-timeout 5 --url URL/last",
      "-L --http1.1 URL",
    };
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      for (String line : lines) {
        String url = "http://127.0.0.1:" + server.getLocalPort();
        List<String> words = List.of(line.replace("URL", url).split(" "));
        assertEquals(sent(server, words), described(words), line);
      }
    }
  }

  private static String sent(ServerSocket server, List<String> words) throws Exception {
    List<String> command = new ArrayList<>(List.of(CURL.toString(), "-q"));
    command.addAll(words);
    Process curl =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    try (Socket socket = server.accept()) {
      StringBuilder head = new StringBuilder();
      InputStream in = socket.getInputStream();
      while (head.indexOf("\r\n\r\n") < 0) {
        head.append((char) in.read());
      }
      String answer = "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n";
      socket.getOutputStream().write(answer.getBytes(StandardCharsets.US_ASCII));
      List<String> all = new ArrayList<>(head.toString().strip().lines().toList());
      return normal(all.remove(0).replace(" HTTP/1.1", ""), all);
    } finally {
      curl.waitFor(10, TimeUnit.SECONDS);
      curl.destroyForcibly();
    }
  }

  private static String described(List<String> words) throws BadDescriptionException {
    DescribedRequest request = CurlLine.read(words).build();
    List<String> fields = new ArrayList<>(request.fields());
    fields.add("Host: " + request.host());
    return normal(request.method() + " " + request.target(), fields);
  }

  private static String normal(String line, List<String> fields) {
    return line
        + fields.stream()
            .map(field -> field.replaceFirst("(?i)^user-agent: curl.*", "user-agent: curl"))
            .map(
                field -> {
                  int colon = field.indexOf(':');
                  String name = field.substring(0, colon).toLowerCase(Locale.ROOT);
                  return name + ": " + field.substring(colon + 1).strip();
                })
            .sorted()
            .toList();
  }

  @ParameterizedTest
  @CsvSource({
    "-x http://proxy:1 http://a,curl -x",
    "-sx http://proxy:1 http://a,curl -x",
    "--proxy http://proxy:1 http://a,curl --proxy",
    "--compressed http://a,curl --compressed",
    "--data-urlencode a=b http://a,curl --data-urlencode",
    "-F a=b http://a,curl -F",
    "-T f http://a,curl -T",
    "-d @secret http://a,curl -d",
    "-b jar http://a,curl -b",
    "-H @secret http://a,curl -H",
    "--secret=t0ken http://a,curl --...",
    "http://a http://b,curl",
    "-X,curl -X",
    "-s,curl",
    "http://a/{b},curl",
    "ftp://a,URL",
    "http://me:secret@a/,URL",
    "http:///a,URL",
  })
  void refusesWhatItDoesNotKnowByNameWithoutItsValue(String line, String part) {
    BadDescriptionException bad =
        assertThrows(
            BadDescriptionException.class, () -> CurlLine.read(List.of(line.split(" "))).build());
    assertEquals(part, bad.getMessage().substring(0, bad.getMessage().indexOf(": ")));
    assertFalse(bad.getMessage().matches(".*(secret|t0ken|proxy:1).*"), bad.getMessage());
  }

  @ParameterizedTest
  @ValueSource(strings = {"x-a: b\r\nx-c: d", "x-a: b\nx-c: d", "x-a", ": b", "x-a: \u0000"})
  void takesNoFieldThatWouldBeTwoOrNone(String field) {
    assertThrows(BadDescriptionException.class, () -> new DescribedRequest.Builder().field(field));
  }

  @ParameterizedTest
  @CsvSource({
    "/a b,path",
    "a,path",
    "'',path",
    "'/a\r\nx: y',path",
  })
  void takesNoPathThatIsNone(String path, String part) {
    BadDescriptionException bad =
        assertThrows(
            BadDescriptionException.class, () -> new DescribedRequest.Builder().path(path).build());
    assertEquals(true, bad.getMessage().startsWith(part), bad.getMessage());
  }
}
