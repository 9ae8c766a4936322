package dev.weir.proxy.token;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.http2.FramePeer;
import dev.weir.proxy.rig.RawClient;
import dev.weir.proxy.rig.RawClient.Response;
import dev.weir.proxy.rig.Rig;
import dev.weir.proxy.rig.RigTest;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jose4j.jwk.PublicJsonWebKey;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Claims of tokens as keys of rules, over sockets. */
@Timeout(120)
class TokenKeyTest extends RigTest {
  private static final PublicJsonWebKey KEY = TestTokens.key("P-256", "first");
  private static final PublicJsonWebKey NEXT = TestTokens.key("Ed25519", "next");
  private static final String BAD = "Bearer error=\"invalid_token\"";

  @TempDir private Path folder;

  @BeforeEach
  void start() throws Exception {
    write(TestTokens.keySet(KEY));
    start("");
  }

  private void start(String more) throws Exception {
    rig =
        Rig.ofFile(
            "nio",
            "jwt: {keys: "
                + folder.resolve("jwks.json")
                + ", issuer: me, audience: orders}\n"
                + "decision: 127.0.0.1:0\ntrusted-proxies: [127.0.0.1]\ntimeouts: {idle: 1h}\n"
                + "rules:\n"
                + "  - {id: r, key: \"jwt:sub\", limit: 2/1h, on-missing-key: refuse"
                + more
                + "}\n");
  }

  private void write(String keys) throws IOException {
    Files.writeString(folder.resolve("jwks.json"), keys);
  }

  private static String claims(String subject) {
    long expires = System.currentTimeMillis() / 1000 + 3600;
    return "{\"iss\":\"me\",\"aud\":\"orders\",\"exp\":" + expires + ",\"sub\":" + subject + "}";
  }

  private static String token(String subject) {
    return TestTokens.token(KEY, "ES256", claims("\"" + subject + "\""));
  }

  private static String get(String token) {
    return get("/", "Authorization: Bearer " + token + "\r\n");
  }

  private static String get(String path, String fields) {
    return "GET " + path + " HTTP/1.1\r\nHost: a\r\n" + fields + "\r\n";
  }

  private Response send(String request) throws IOException {
    try (RawClient client = rig.connect()) {
      return client.send(request).read();
    }
  }

  private static void assertBad(String reason, Response answer) {
    assertEquals(401, answer.status(), answer.head());
    assertEquals(BAD, answer.field("WWW-Authenticate"));
    assertTrue(answer.body().contains("\"reason\":\"" + reason + "\""), answer.body());
  }

  @Test
  void countsByTheClaimWhateverTheToken() throws Exception {
    String other =
        TestTokens.token(KEY, "ES256", claims("\"ann\"").replace("}", ",\"jti\":\"2\"}"));
    assertEquals(200, send(get(token("ann"))).status());
    assertEquals(200, send(get(other)).status());
    assertEquals(429, send(get(token("ann"))).status());
    assertEquals(200, send(get(token("bob"))).status());
    try (FramePeer peer = new FramePeer(rig.sidecar.listenAddress())) {
      assertTrue(http2(peer, 1, token("ann"), "x: y").contains(":status: 429"));
      String call = http2(peer, 3, token("ann"), "content-type: application/grpc");
      assertTrue(call.contains("grpc-status: 8"), call);
    }
    try (RawClient proxy = new RawClient(new InetSocketAddress("127.0.0.1", rig.decisionPort()))) {
      assertEquals(429, proxy.send(check(token("ann"))).read().status());
      assertEquals(200, proxy.send(check(token("bob"))).read().status());
      assertEquals(429, proxy.send(check(token("bob"))).read().status());
    }
  }

  private static String http2(FramePeer peer, int stream, String token, String field) {
    peer.request(stream, true, "GET", "/", "authorization: Bearer " + token, field).send();
    String head = peer.next();
    for (String frame = head; !frame.endsWith(" end"); ) {
      frame = peer.next();
    }
    return head;
  }

  private static String check(String token) {
    return get(
        "/v1/check",
        "X-Forwarded-Method: GET\r\nX-Forwarded-Uri: /\r\nAuthorization: Bearer " + token + "\r\n");
  }

  @Test
  void aBadTokenIsRefusedAndNeverAKey() throws Exception {
    String bad = TestTokens.token(NEXT, "EdDSA", claims("\"ann\""));
    assertBad("token_key_unknown", send(get(bad)));
    assertBad("token_malformed", send(get("x")));
    String authorization = "Authorization: Bearer " + token("ann") + "\r\n";
    assertBad("token_malformed", send(get("/", authorization + authorization)));
    try (FramePeer peer = new FramePeer(rig.sidecar.listenAddress())) {
      String answer = http2(peer, 1, bad, "x: y");
      assertTrue(answer.contains(":status: 401"), answer);
      assertTrue(answer.contains("www-authenticate: " + BAD), answer);
      String call = http2(peer, 3, bad, "content-type: application/grpc");
      assertTrue(call.contains("grpc-status: 16"), call);
      assertTrue(call.contains("grpc-message: Token Key Unknown"), call);
    }
    try (RawClient proxy = new RawClient(new InetSocketAddress("127.0.0.1", rig.decisionPort()))) {
      assertBad("token_key_unknown", proxy.send(check(bad)).read());
    }
    Response none = send(get("/", ""));
    assertEquals(401, none.status());
    assertTrue(none.body().contains("\"reason\":\"identity_missing\""), none.body());
    assertEquals(2, rig.metric("weir_jwt_verifications_total"), "each bad one once");
    assertEquals(3, rig.metric("weir_refusals_total{reason=\"token_key_unknown\"}"));
    assertEquals(200, send(get(token("ann"))).status());
    assertEquals(200, send(get(token("ann"))).status(), "nothing was charged");
    assertFalse(rig.metrics().contains(bad));
  }

  @Test
  void aClaimThatIsAListNamesNobody() throws Exception {
    rig.publish("jwt: {keys: x}\nrules:\n  - {id: r, key: \"jwt:aud\", limit: 2/1h}\n");
    String list =
        TestTokens.token(KEY, "ES256", claims("\"1\"").replace("\"orders\"", "[\"orders\"]"));
    Response answer = send(get(list));
    assertEquals(400, answer.status(), answer.body());
    assertTrue(answer.body().contains("\"reason\":\"identity_ambiguous\""), answer.body());
  }

  /** Also where the rule lets pass requests that lack its key. */
  @Test
  void aBadTokenDoesNotCountByAddress() throws Exception {
    rig.publish(
        "jwt: {keys: x}\nrules:\n"
            + "  - {id: r, key: \"jwt:sub\", limit: 2/1h, on-missing-key: ip}\n");
    assertEquals(200, send(get("/", "")).status());
    assertEquals(200, send(get("/", "Authorization: Basic YTpi\r\n")).status());
    assertEquals(429, send(get("/", "")).status());
    assertBad("token_malformed", send(get("a.b")));
  }

  @Test
  void newKeysAreTakenAndThoseThatWentVerifyNothing() throws Exception {
    String old = token("ann");
    String next = TestTokens.token(NEXT, "EdDSA", claims("\"bob\""));
    assertEquals(200, send(get(old)).status());
    assertBad("token_key_unknown", send(get(next)));
    write(TestTokens.keySet(KEY, NEXT));
    rig.sidecar.reload();
    assertEquals(200, send(get(old)).status());
    assertEquals(200, send(get(next)).status());
    write("{\"keys\": [");
    rig.sidecar.reload();
    assertEquals(0, rig.metric("weir_jwt_keys_last_reload_successful"));
    assertEquals(200, send(get(next)).status(), "the last good keys stay");
    write(TestTokens.keySet(NEXT));
    rig.sidecar.reload();
    assertBad("token_key_unknown", send(get(old)));
    assertEquals(429, send(get(next)).status());
    assertEquals(1, rig.metric("weir_jwt_keys"));
    assertEquals(1, rig.metric("weir_jwt_keys_last_reload_successful"));
  }
}
