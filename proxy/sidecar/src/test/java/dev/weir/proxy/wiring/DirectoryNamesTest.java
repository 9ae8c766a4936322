package dev.weir.proxy.wiring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.admission.StoreNames;
import dev.weir.proxy.control.Faults;
import dev.weir.proxy.control.Settings;
import dev.weir.proxy.control.SettingsFile;
import dev.weir.proxy.rule.RuleSet;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import org.junit.jupiter.api.Test;

class DirectoryNamesTest {
  private static final StoreNames NAMES = new StoreNames("shop", false, Set.of(), "k");

  private static String name(String users, StoreNames names) {
    String file = "upstream: http://127.0.0.1:8080\ntrusted-proxies: [127.0.0.1]\n" + users;
    Faults faults = Faults.ofFile("weir.yaml");
    Settings settings = new SettingsFile().read(file.getBytes(StandardCharsets.UTF_8), faults);
    assertTrue(faults.isEmpty(), faults.toString());
    RuleSet rules = settings.rules().compile(RuleSet.EMPTY);
    return new DirectoryNames(names, () -> rules).apply("ann b");
  }

  private static String user(String identity) {
    return "users: {identity: '" + identity + "', directory: d}\nrules: []\n";
  }

  @Test
  void hashesSecretIdentitiesAlone() {
    assertEquals("ann%20b", name("rules: []\n", NAMES), "nothing says who the users are");
    assertEquals("ann%20b", name(user("header:x-user-id"), NAMES));
    String secret = name(user("header:x-api-key"), NAMES);
    assertTrue(secret.matches("#[0-9a-f]{32}"), secret);
    StoreNames other = new StoreNames("shop", false, Set.of(), "another key");
    assertNotEquals(secret, name(user("header:x-api-key"), other));
    StoreNames all = new StoreNames("shop", true, Set.of(), "k");
    assertEquals(secret, name(user("header:x-user-id"), all));
  }

  @Test
  void hashesANamedIdentityIfOneOfItsSourcesIsSecret() {
    String named = "identities: {user: {first-of: [header:x-user-id, %s]}}\n" + user("user");
    assertEquals("ann%20b", name(named.formatted("header:x-account"), NAMES));
    assertTrue(name(named.formatted("header:x-api-key"), NAMES).startsWith("#"));
  }
}
