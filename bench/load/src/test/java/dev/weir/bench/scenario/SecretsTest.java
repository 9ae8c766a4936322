package dev.weir.bench.scenario;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

class SecretsTest {
  @Test
  void quotesWhatAShellWouldTakeApart() {
    assertEquals(
        "http://h:1/a -t 'p99<2ms' --body 'it'\\''s' -H 'x-user-id: {key}'",
        Secrets.hiddenInCommand(
            List.of("http://h:1/a", "-t", "p99<2ms", "--body", "it's", "-H", "x-user-id: {key}")));
  }

  @Test
  void leavesOutWhatSaysWhoSomebodyIs() {
    assertEquals(
        "-H 'Authorization: ...' '-HCookie: ...' '--header=X-Api-Key: ...' -H x-auth-token:...",
        Secrets.hiddenInCommand(
            List.of(
                "-H",
                "Authorization: Bearer abc",
                "-HCookie: a=b",
                "--header=X-Api-Key: 7",
                "-H",
                "x-auth-token:7")));
  }

  @Test
  void leavesOutTheSameOfAQuery() {
    assertEquals(
        "'http://h:1/a?user=7&api_key=...&accessToken=...&n=1'",
        Secrets.hiddenInCommand(List.of("http://h:1/a?user=7&api_key=abc&accessToken=x%20y&n=1")));
  }

  @Test
  void showsThatAKeyStandsThere() {
    assertEquals(
        "-H 'x-api-key: {key}'", Secrets.hiddenInCommand(List.of("-H", "x-api-key: {key}")));
    assertEquals(
        "'http://h:1/?token={key}&token=...'",
        Secrets.hiddenInCommand(List.of("http://h:1/?token={key}&token={key}7")));
  }
}
