package dev.weir.proxy.control;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SettingsFlagsTest {
  private static Map<String, String> flags(String... pairs) {
    Map<String, String> flags = new LinkedHashMap<>();
    for (int i = 0; i < pairs.length; i += 2) {
      flags.put(pairs[i], pairs[i + 1]);
    }
    return flags;
  }

  private static String faults(String... pairs) {
    Faults faults = Faults.ofFlags();
    assertNull(SettingsFlags.read(flags(pairs), faults));
    return faults.toString();
  }

  @Test
  void makeTheSameSettingsAsAFile() {
    Faults faults = Faults.ofFlags();
    Settings fromFlags =
        SettingsFlags.read(
            flags(
                "--upstream", "http://127.0.0.1:8080",
                "--limit", "100/1s",
                "--burst", "20",
                "--key", "header:x-user-id,ip",
                "--listen", "127.0.0.1:8001",
                "--trusted-proxies", "10.0.0.0/8, ::1",
                "--timeouts.head", "3s"),
            faults);
    assertNotNull(fromFlags, faults.toString());
    String yaml =
        """
        upstream: http://127.0.0.1:8080
        listen: 127.0.0.1:8001
        trusted-proxies: [10.0.0.0/8, "::1"]
        timeouts: {head: 3s}
        rules:
          - {id: default, limit: 100/1s, burst: 20, key: [header:x-user-id, ip]}
        """;
    Settings fromFile =
        new SettingsFile().read(yaml.getBytes(StandardCharsets.UTF_8), Faults.ofFile("w"));
    assertEquals(fromFile, fromFlags);
    assertEquals(List.of(), fromFile.differencesUntilRestart(fromFlags));
    assertEquals(
        new InetSocketAddress("127.0.0.1", 8001), fromFlags.client().listeners().get(0).address());
  }

  @Test
  void boundTheIntervalOfTheLatencyLogAndWantAFile() {
    String upstream = "--upstream";
    String service = "http://127.0.0.1:1";
    String interval = "--latency-log-interval";
    for (String good : List.of("100ms", "1h")) {
      assertNotNull(
          SettingsFlags.read(flags(upstream, service, interval, good), Faults.ofFlags()), good);
    }
    for (String bad : List.of("99ms", "61m")) {
      assertEquals(
          interval + ": " + bad + " (expected: 100ms to 1h)",
          faults(upstream, service, interval, bad));
    }
    assertEquals(
        interval + ": 1 (expected: a duration such as 500ms, 10s, 5m, 1h or 1d)",
        faults(upstream, service, interval, "1"));
    for (String bad : List.of("", "/", "a\0b")) {
      assertTrue(
          faults(upstream, service, "--latency-log", bad).endsWith(" (expected: a file's path)"),
          bad);
    }
  }

  @Test
  void makeNoRuleWithoutOneOfItsFields() {
    Settings settings =
        SettingsFlags.read(flags("--upstream", "unix:/run/a.sock"), Faults.ofFlags());
    assertEquals(List.of(), settings.rules().rules());
  }

  @Test
  void tellEveryFaultAtOnce() {
    assertEquals(
        """
        --limit: 0/1s (expected: 1 or more per window)
        --key: jws:sub (expected: all, ip, api-key, header:NAME, cookie:NAME, query:NAME, jwt:CLAIM, tls:san, tls:spiffe or tls:cn)
        --listen: 8000 (expected: host:port, https://host:port or unix:/path)
        --nonsense: unknown flag
        --trusted-proxies: x (expected: an address or range such as 192.0.2.7, 10.0.0.0/8 or\
         2001:db8::/32)
        --upstream: missing (expected: http://, h2c:// or https://host:port, unix:/path or h2c+unix:/path; or --decision)\
        """,
        faults(
            "--limit",
            "0/1s",
            "--key",
            "ip,jws:sub",
            "--listen",
            "8000",
            "--nonsense",
            "1",
            "--trusted-proxies",
            "10.0.0.0/8,x"));
  }

  @Test
  void tellWhatDoesNotGoTogether() {
    assertEquals(
        "--limit: missing (expected: a rate such as 100/1s, 10/1m, 1000/1h or 1/1d)",
        faults("--upstream", "http://127.0.0.1:1", "--burst", "5"));
    assertEquals(
        "--cost: 6 (expected: at most the burst, 5, or no request ever passes)",
        faults(
            "--upstream", "http://127.0.0.1:1", "--limit", "9/1s", "--burst", "5", "--cost", "6"));
    assertEquals(
        "--max-wait: 2s (expected: nothing, unless overflow is queue)",
        faults(
            "--upstream", "http://127.0.0.1:1",
            "--limit", "9/1s",
            "--algorithm", "leaky-bucket",
            "--max-wait", "2s"));
    assertEquals(
        "--table.ring-keys: 10000 (expected: at most 9011, as each has 8192 cells, and all of them"
            + " 2GiB)",
        faults(
            "--upstream", "http://127.0.0.1:1",
            "--limit", "8000/1s",
            "--algorithm", "sliding-log",
            "--table.ring-keys", "10000"));
    assertEquals(
        "--upstream: 127.0.0.1:8000 (expected: another address than listen)",
        faults("--upstream", "http://127.0.0.1:8000"));
  }
}
