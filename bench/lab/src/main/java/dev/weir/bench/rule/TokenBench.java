package dev.weir.bench.rule;

import dev.weir.bench.check.CheckBench;
import dev.weir.bench.process.TemporaryFolder;
import dev.weir.proxy.request.ClientKey;
import dev.weir.proxy.request.IpAddress;
import dev.weir.proxy.request.Peer;
import dev.weir.proxy.request.RequestView;
import dev.weir.proxy.rule.identity.KeyHasher;
import dev.weir.proxy.token.KeySource;
import dev.weir.proxy.token.TokenKeys;
import dev.weir.proxy.token.TokenReader;
import dev.weir.proxy.token.TokenSettings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.agrona.ExpandableArrayBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jose4j.jwk.JsonWebKey.OutputControlLevel;
import org.jose4j.jwk.JsonWebKeySet;
import org.jose4j.jwk.RsaJsonWebKey;
import org.jose4j.jwk.RsaJwkGenerator;
import org.jose4j.jws.JsonWebSignature;
import org.jose4j.lang.JoseException;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * What does a token cost that was verified before: from a request to the claim that names its user?
 * Tokens are of RS256, and as long as those of usual issuers: some 700 bytes.
 */
@State(Scope.Thread)
public class TokenBench extends CheckBench {
  static final int REQUESTS = 1024;

  private static final byte[] SUB = {'s', 'u', 'b'};
  private static final long NOW_SECONDS = 1_800_000_000L;
  private static final Peer PEER = new Peer(IpAddress.LOOPBACK, false);

  @Param({"1", "1000"})
  int tokens;

  private final RequestView[] requests = new RequestView[REQUESTS];
  private final ExpandableArrayBuffer claim = new ExpandableArrayBuffer();
  private TokenReader reader;

  @Setup
  public void verify() throws IOException, JoseException {
    final RsaJsonWebKey key = RsaJwkGenerator.generateJwk(2048);
    key.setKeyId("1");
    reader = reader(key);
    for (int i = 0; i < REQUESTS; i++) {
      requests[i] = request(i < tokens ? token(key, i) : tokenOf(requests[i % tokens]));
      if (reader.read(requests[i]) != null || reader.claim(SUB, claim, 0) <= 0) {
        throw new IllegalStateException("a good token is refused");
      }
    }
  }

  private static TokenReader reader(RsaJsonWebKey key) throws IOException {
    final TokenKeys keys = new TokenKeys();
    try (TemporaryFolder folder = new TemporaryFolder("weir-bench-tokens")) {
      final Path file = folder.path().resolve("jwks.json");
      Files.writeString(file, new JsonWebKeySet(key).toJson(OutputControlLevel.PUBLIC_ONLY));
      final TokenSettings settings =
          new TokenSettings(file, null, "https://id.example.com", "orders");
      KeySource.of(settings, keys).close();
      return new TokenReader(
          settings,
          keys,
          KeyHasher.random(),
          request -> ClientKey.NONE,
          () -> TimeUnit.SECONDS.toNanos(NOW_SECONDS),
          () -> 1);
    }
  }

  private static String token(RsaJsonWebKey key, int user) throws JoseException {
    final JsonWebSignature token = new JsonWebSignature();
    token.setAlgorithmHeaderValue("RS256");
    token.setKeyIdHeaderValue(key.getKeyId());
    token.setKey(key.getPrivateKey());
    token.setPayload(
        "{\"iss\":\"https://id.example.com\",\"aud\":\"orders\",\"exp\":"
            + (NOW_SECONDS + 3_600)
            + ",\"iat\":"
            + NOW_SECONDS
            + ",\"scope\":\"openid profile email orders:read orders:write\",\"plan\":\"premium\""
            + ",\"sub\":\"user-"
            + user
            + "\"}");
    return token.getCompactSerialization();
  }

  private static RequestView request(String token) {
    final String head = "GET /Authorization";
    final String value = "Bearer " + token;
    final byte[] bytes = (head + value).getBytes(StandardCharsets.US_ASCII);
    final RequestView view = new RequestView(1);
    view.reset(new UnsafeBuffer(bytes), 0, bytes.length, PEER);
    view.method(0, 3);
    view.path(4, 1);
    view.addField(5, head.length() - 5, head.length(), value.length());
    return view;
  }

  private static String tokenOf(RequestView request) {
    final int scheme = "Bearer ".length();
    return request
        .bytes()
        .getStringWithoutLengthAscii(
            request.valueOffset(0) + scheme, request.valueLength(0) - scheme);
  }

  @Benchmark
  @OperationsPerInvocation(REQUESTS)
  public int remembered() {
    int sum = 0;
    for (RequestView request : requests) {
      sum += reader.read(request) == null ? reader.claim(SUB, claim, 0) : 0;
    }
    return sum;
  }
}
