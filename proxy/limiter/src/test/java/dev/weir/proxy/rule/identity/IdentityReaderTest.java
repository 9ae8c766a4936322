package dev.weir.proxy.rule.identity;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.request.CertificateNames;
import dev.weir.proxy.request.Operation;
import dev.weir.proxy.request.Peer;
import dev.weir.proxy.request.Purpose;
import dev.weir.proxy.request.Question;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.RequestView;
import dev.weir.proxy.request.TextRequest;
import dev.weir.proxy.rule.Rule;
import dev.weir.proxy.rule.RuleSet;
import dev.weir.proxy.rule.spec.BadValueException;
import dev.weir.proxy.rule.spec.BudgetSpec;
import dev.weir.proxy.rule.spec.CidrSet;
import dev.weir.proxy.rule.spec.IdentityNames;
import dev.weir.proxy.rule.spec.KeyPart;
import dev.weir.proxy.rule.spec.KeySpec;
import dev.weir.proxy.rule.spec.OnMissingKey;
import dev.weir.proxy.rule.spec.Rate;
import dev.weir.proxy.rule.spec.RuleSpec;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class IdentityReaderTest {
  private static final int MAX_HEAD_BYTES = 32 << 10;
  private static final KeyHasher HASHER = KeyHasher.withKey(1, 2);

  private final IdentityReader reader = reader(IdentitySettings.DEFAULT, HASHER);

  private static IdentityReader reader(IdentitySettings settings, KeyHasher hasher) {
    return new IdentityReader(settings, hasher, new ClientIpReader(settings), MAX_HEAD_BYTES);
  }

  private static Rule rule(String key, OnMissingKey onMissing) {
    RuleSpec spec =
        RuleSpec.builder("r")
            .rate(Rate.parse("1/1s"))
            .key(KeySpec.parse(key))
            .onMissingKey(onMissing)
            .build();
    return RuleSet.compile(List.of(spec), false, RuleSet.EMPTY, 0).rules().get(0);
  }

  private static Rule rule(String key) {
    return rule(key, OnMissingKey.SHARED);
  }

  private long hash(Rule rule, RequestView request) {
    assertNull(reader.read(rule, of(request)));
    return reader.of(0).hash();
  }

  private static RequestView get(String target, String... fields) {
    return TextRequest.of("GET", target, fields);
  }

  private final Question question = new Question();

  private Question of(RequestView request) {
    return question.traffic(request);
  }

  @Test
  void oneIdentityHasOneHashAndAnotherProcessAnother() {
    Rule rule = rule("header:x-user-id");
    long hash = hash(rule, get("/", "X-User-Id", "7"));
    assertEquals(hash, hash(rule, get("/other?a=b", "Accept", "*/*", "x-USER-id", "7")));
    IdentityReader other = reader(IdentitySettings.DEFAULT, KeyHasher.withKey(1, 3));
    assertNull(other.read(rule, of(get("/", "X-User-Id", "7"))));
    assertNotEquals(hash, other.of(0).hash());
    assertNotEquals(0, KeyHasher.random().hash(get("/").bytes(), 0, 1));
  }

  @Test
  void allCallersAreOneIdentityOfEachRule() {
    Rule rule = rule("all", OnMissingKey.REFUSE);
    long hash = hash(rule, get("/", "X-User-Id", "7"));
    assertEquals(hash, hash(rule, get("/other?a=b")));
    question.start(Operation.CHECK, Purpose.DECISION).rule("r");
    assertNull(reader.read(rule, question), "a program names nobody");
    assertEquals(hash, reader.of(0).hash());
    RuleSpec other =
        RuleSpec.builder("s").rate(Rate.parse("1/1s")).key(KeySpec.parse("all")).build();
    assertNotEquals(
        hash,
        hash(RuleSet.compile(List.of(other), false, RuleSet.EMPTY, 0).rules().get(0), get("/")));
  }

  private static Rule named(OnMissingKey onMissing, String... sources) {
    IdentityNames names = new IdentityNames();
    names.addFirstOf("user", List.of(sources).stream().map(KeyPart::parse).toList());
    RuleSpec spec =
        RuleSpec.builder("r")
            .rate(Rate.parse("1/1s"))
            .key(KeySpec.ofParts(names.parts("user")))
            .onMissingKey(onMissing)
            .build();
    return RuleSet.compile(List.of(spec), false, RuleSet.EMPTY, 0).rules().get(0);
  }

  @Test
  void eachNameOfASourceNamesItInEveryLimit() {
    IdentityNames names = new IdentityNames();
    KeyPart source = KeyPart.parse("header:x-uid");
    names.addFirstOf("any", List.of(KeyPart.parse("cookie:uid"), source));
    names.add("user", List.of(source));
    names.add("person", names.parts("user"));
    List<String> all = List.of("header:x-uid", "user", "person");
    for (String first : all) {
      for (String second : all) {
        Rule rule = ofLimits(names, first, second);
        for (String name : all) {
          assertNull(reader.read(rule, given(name)), first + ", " + second + ": " + name);
        }
      }
      assertNull(reader.read(ofLimits(names, "any"), given(first)), first);
    }
  }

  /** The dimension USER is header:x-user-id, and the identity user. */
  @Test
  void aSourceIsGivenByItsTextRatherThanByANameThatAnotherHasToo() {
    IdentityNames names = new IdentityNames();
    names.add("user", List.of(KeyPart.parse("header:x-uid")));
    Rule rule = ofLimits(names, "header:x-uid");
    assertEquals(hash(rule, get("/", "X-Uid", "b")), hashOfGiven(rule));
  }

  private long hashOfGiven(Rule rule) {
    question.start(Operation.CHECK, Purpose.DECISION).rule("r");
    question.identity("header:x-user-id", new UnsafeBuffer(new byte[] {'a'}), 0, 1);
    question.identity("header:x-uid", new UnsafeBuffer(new byte[] {'b'}), 0, 1);
    assertNull(reader.read(rule, question));
    return reader.of(0).hash();
  }

  private static Rule ofLimits(IdentityNames names, String... keys) {
    List<BudgetSpec.Builder> limits = new ArrayList<>();
    for (String key : keys) {
      KeySpec parts = KeySpec.ofParts(names.parts(key));
      limits.add(new BudgetSpec.Builder().key(parts).rate(Rate.parse((limits.size() + 1) + "/1s")));
      limits.get(limits.size() - 1).name("n" + limits.size());
    }
    RuleSpec spec = RuleSpec.builder("r").limits(limits).onMissingKey(OnMissingKey.REFUSE).build();
    return RuleSet.compile(List.of(spec), false, RuleSet.EMPTY, 0).rules().get(0);
  }

  private Question given(String name) {
    question.start(Operation.CHECK, Purpose.DECISION).rule("r");
    question.identity(name, new UnsafeBuffer(new byte[] {'a'}), 0, 1);
    return question;
  }

  @Test
  void theFirstSourceWithAValueIsTheIdentity() {
    Rule first = named(OnMissingKey.REFUSE, "cookie:uid", "header:x-user-id", "query:u");
    Rule plain = rule("header:x-user-id");
    long ann = hash(plain, get("/", "X-User-Id", "ann"));
    assertEquals(ann, hash(first, get("/", "X-User-Id", "ann")));
    assertEquals(ann, hash(first, get("/", "Cookie", "uid=ann", "X-User-Id", "bob")));
    assertEquals(ann, hash(first, get("/?u=ann")));
    assertEquals(ann, hash(first, get("/?u=bob", "Cookie", "uid=", "X-User-Id", "ann")));
    RequestView twice = get("/?u=ann", "X-User-Id", "ann", "X-User-Id", "bob");
    assertEquals(RefusalReason.IDENTITY_AMBIGUOUS, reader.read(first, of(twice)));
    assertEquals(RefusalReason.IDENTITY_MISSING, reader.read(first, of(get("/", "Cookie", "a=b"))));
    assertEquals(
        hash(plain, get("/")), hash(named(OnMissingKey.SHARED, "cookie:uid"), get("/?u=ann")));
  }

  @Test
  void anAddressAmongSourcesIsNoValueThatSpellsIt() {
    Rule first = named(OnMissingKey.REFUSE, "header:x-user-id", "ip");
    long address = hash(first, get("/"));
    assertEquals(hash(rule("ip"), get("/")), address);
    assertNotEquals(address, hash(first, get("/", "X-User-Id", "127.0.0.1")));
    question.start(Operation.CHECK, Purpose.DECISION).rule("r");
    assertEquals(RefusalReason.IDENTITY_MISSING, reader.read(first, question), "of the program");
  }

  @Test
  void aProgramNamesAnIdentityByItsNameOrByASource() {
    Rule first = named(OnMissingKey.REFUSE, "cookie:uid", "ip");
    long ann = hash(first, get("/", "Cookie", "uid=ann"));
    UnsafeBuffer text = new UnsafeBuffer("ann".getBytes(StandardCharsets.US_ASCII));
    for (String name : List.of("user", "cookie:uid", "header:x-user-id")) {
      question.start(Operation.CHECK, Purpose.DECISION).identity(name, text, 0, 3).rule("r");
      assertNull(reader.read(first, question), name);
      assertEquals(ann, reader.of(0).hash(), name);
    }
    question.start(Operation.CHECK, Purpose.DECISION).identity("account", text, 0, 3).rule("r");
    assertEquals(RefusalReason.IDENTITY_MISSING, reader.read(first, question));
  }

  @Test
  void noTwoIdentitiesShareTheirBytes() {
    Rule pair = rule("header:a,header:b");
    Map<Long, String> seen = new HashMap<>();
    String[][] identities = {
      {},
      {"a", ""},
      {"b", ""},
      {"a", "", "b", ""},
      {"a", "x"},
      {"b", "x"},
      {"a", "x", "b", ""},
      {"a", "", "b", "x"},
      {"a", "x", "b", "y"},
      {"a", "y", "b", "x"},
      {"a", "xy", "b", ""},
      {"a", "x:y"},
      {"a", "x,y"},
      {"a", "x", "b", ":y"},
      {"a", "x:", "b", "y"},
      {"a", "{x}"},
      {"a", "x y"},
      {"a", "x\u0001"},
      {"a", "x\u00ff"},
      {"a", "x\u00c3\u00bf"},
      {"a", "x\u0000\u0000\u0000"},
      {"a", "X"},
      {"a", "x".repeat(8192)},
      {"a", "x".repeat(8191) + "y"},
      {"a", "\u0001\u0000\u0000\u0000\u0001x"},
      // One of these would be the other if parts were marked but not counted.
      {"a", "x", "b", "y\u0001\u0000\u0000\u0000\u0000z"},
      {"a", "x\u0001\u0000\u0000\u0000\u0000y", "b", "z"},
      {"a", "x", "b", "y\u0001\u0000\u0000\u0000\u0001z"},
      {"a", "x\u0001\u0000\u0000\u0000\u0001y", "b", "z"},
    };
    for (String[] fields : identities) {
      String before = seen.put(hash(pair, get("/", fields)), String.join("|", fields));
      assertNull(before, () -> before + " and " + String.join("|", fields));
    }
    assertEquals(identities.length, seen.size());
  }

  @Test
  void anAddressIsNotAHeaderOfTheSameBytes() {
    String v4Bytes = "\0\0\0\0\0\0\0\0\0\0\u00ff\u00ff\u00c0\0\u0002\u0001";
    long header = hash(rule("header:a"), get("/", "a", v4Bytes));
    assertNotEquals(header, hash(rule("ip"), get("/")));
    assertNotEquals(header, hash(rule("header:a", OnMissingKey.IP), get("/")));
  }

  @ParameterizedTest
  @CsvSource({
    "header:a, /, a, 1, A, 2",
    "header:a, /, a, 1, a, 1",
    "header:a, /, a, '', a, ''",
    "cookie:s, /, cookie, s=1; s=2, x, y",
    "cookie:s, /, cookie, s=1, cookie, t=2; s=1",
    "cookie:s, /, cookie, 's=1;s=', x, y",
    "query:k, /?k=1&k=2, x, y, z, y",
    "query:k, /?k=1&%6B=1, x, y, z, y",
    "query:k, /?k&k, x, y, z, y",
    "query:k, /?k=a;k=b, x, y, z, y",
    "query:k, /?k=a;x, x, y, z, y",
    "query:k, /?x;k=a, x, y, z, y",
    "query:k, /?%6b;x=1, x, y, z, y",
    "query:k, /?k=a&k;x=1, x, y, z, y",
    "query:k, /?k=1&x=1;%6B, x, y, z, y",
  })
  void whatOccursTwiceIsRefused(
      String key, String target, String name1, String value1, String name2, String value2) {
    for (OnMissingKey onMissing : OnMissingKey.values()) {
      assertEquals(
          RefusalReason.IDENTITY_AMBIGUOUS,
          reader.read(rule(key, onMissing), of(get(target, name1, value1, name2, value2))));
    }
  }

  @ParameterizedTest
  @EnumSource(OnMissingKey.class)
  void whatIsAbsentIsWhatTheRuleSays(OnMissingKey onMissing) {
    RequestView one = TextRequest.from("192.0.2.1", "GET", "/?x=1", "cookie", "t=1");
    RequestView two = TextRequest.from("192.0.2.2", "GET", "/", "b", "1");
    for (String key : List.of("header:a", "cookie:s", "query:k")) {
      Rule rule = rule(key, onMissing);
      if (onMissing == OnMissingKey.REFUSE) {
        assertEquals(RefusalReason.IDENTITY_MISSING, reader.read(rule, of(one)));
      } else {
        assertEquals(onMissing == OnMissingKey.SHARED, hash(rule, one) == hash(rule, two));
      }
    }
  }

  @Test
  void anEmptyValueNamesNobodyWhereAnIdentityIsRequired() {
    RequestView request = get("/?k=", "a", "", "cookie", "s=");
    for (String key : List.of("header:a", "cookie:s", "query:k")) {
      assertEquals(
          RefusalReason.IDENTITY_MISSING, reader.read(rule(key, OnMissingKey.REFUSE), of(request)));
      long shared = hash(rule(key), request);
      assertNotEquals(shared, hash(rule(key), get("/")));
      assertEquals(shared, hash(rule(key, OnMissingKey.IP), request));
    }
  }

  @Test
  void theOtherPartsOfACompositeStillCount() {
    Rule rule = rule("header:a,ip");
    long one = hash(rule, TextRequest.from("192.0.2.1", "GET", "/"));
    assertNotEquals(one, hash(rule, TextRequest.from("192.0.2.2", "GET", "/")));
    assertNotEquals(one, hash(rule, TextRequest.from("192.0.2.1", "GET", "/", "a", "")));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "s=1",
        "t=2; s=1",
        "s=1; t=2",
        "t=s=1;s=1",
        "s=1;",
        ";; s=1",
        "' s = 1 '",
        "s=\"1\"",
        "s=%31",
        "S=2; s=1",
        "ss=2; s=1",
        "s; s=1",
      })
  void readsACookieInAllItsSpellings(String cookie) {
    Rule rule = rule("cookie:s");
    assertEquals(hash(rule, get("/", "Cookie", "s=1")), hash(rule, get("/", "cookie", cookie)));
  }

  @Test
  void readsACookieFromSeveralLines() {
    Rule rule = rule("cookie:s");
    assertEquals(
        hash(rule, get("/", "cookie", "s=1")),
        hash(rule, get("/", "cookie", "t=2", "x", "y", "cookie", "s=1")));
  }

  @ParameterizedTest
  @CsvSource({"s=1=2, s=1%3D2", "s=a+b, s=a%2Bb", "s=%zz, s=%25zz", "s=%4, s=%254", "s=%, s=%25"})
  void keepsWhatIsNoEncodingInACookie(String one, String other) {
    Rule rule = rule("cookie:s");
    assertEquals(hash(rule, get("/", "cookie", one)), hash(rule, get("/", "cookie", other)));
  }

  @ParameterizedTest
  @CsvSource({
    "k=a%20b, k=a+b",
    "k=1, %6b=1",
    "k=1, x&k=1&",
    "k=1, &&k=1",
    "k=1, kk=2&k=%31",
    "k=1, K=2&k=1",
    "k=, k",
    "k=a%2Bb, k=a%2bb",
    "k=%zz, k=%25zz",
    "k=a=b, k=a%3Db",
    "k=1, x=1;kk=2;K=3;;&k=1"
  })
  void readsAQueryParameterInAllItsSpellings(String one, String other) {
    Rule rule = rule("query:k");
    assertEquals(hash(rule, get("/?" + one)), hash(rule, get("/a?" + other)));
    assertNotEquals(hash(rule, get("/?" + one)), hash(rule, get("/?k=other")));
  }

  @Test
  void aFieldThatIsNotPassedOnIsAbsent() {
    Rule rule = rule("header:a,cookie:s", OnMissingKey.REFUSE);
    for (int omitted = 0; omitted < 2; omitted++) {
      RequestView request = get("/", "a", "1", "cookie", "s=1");
      assertNull(reader.read(rule, of(request)));
      request.omit(omitted);
      assertEquals(RefusalReason.IDENTITY_MISSING, reader.read(rule, of(request)));
    }
    RequestView again = get("/", "a", "1", "a", "2", "cookie", "s=1");
    again.omit(1);
    assertEquals(hash(rule, get("/", "a", "1", "cookie", "s=1")), hash(rule, again));
  }

  @Test
  void ipv6ClientsCountByTheirPrefix() {
    Rule rule = rule("ip");
    long hash = hash(rule, TextRequest.from("2001:db8::1", "GET", "/"));
    assertEquals(hash, hash(rule, TextRequest.from("2001:db8::ffff:1:2:3", "GET", "/")));
    assertNotEquals(hash, hash(rule, TextRequest.from("2001:db8:0:1::1", "GET", "/")));
    assertNotEquals(
        hash(rule, TextRequest.from("192.0.2.1", "GET", "/")),
        hash(rule, TextRequest.from("192.0.2.2", "GET", "/")));
    for (int prefix : new int[] {1, 48, 63, 65, 127, 128}) {
      IdentityReader narrow =
          reader(new IdentitySettings(CidrSet.EMPTY, ClientIpField.FORWARDED, prefix), HASHER);
      assertNull(narrow.read(rule, of(TextRequest.from("2001:db8::", "GET", "/"))));
      long first = narrow.of(0).hash();
      assertNull(narrow.read(rule, of(TextRequest.from("2001:db8::1", "GET", "/"))));
      assertEquals(prefix < 128, first == narrow.of(0).hash(), "/" + prefix);
    }
  }

  @Test
  void aValueAsLongAsAHeadFitsInEveryPart() {
    String key = "header:cookie,cookie:s,header:b,query:k,header:c,header:d,header:e,header:f";
    String longest = "s=" + "x".repeat(MAX_HEAD_BYTES - 2);
    String value = "x".repeat(MAX_HEAD_BYTES);
    RequestView request =
        get(
            "/?k=" + value,
            "cookie",
            longest,
            "b",
            value,
            "c",
            value,
            "d",
            value,
            "e",
            value,
            "f",
            value);
    assertNull(reader.read(rule(key), of(request)));
  }

  @Test
  void keysAreReadInOneWay() {
    assertEquals("header:x-user-id", KeySpec.parse("header:X-User-Id").toString());
    assertEquals("header:x-api-key", KeySpec.parse("api-key").toString());
    assertEquals("ip,header:a", KeySpec.parse("ip, header:A").toString());
    assertEquals(KeySpec.parse("ip,header:a"), KeySpec.of(List.of("ip", "header:a")));
    for (String bad :
        List.of(
            "", "IP", "header", "header:", "header:a b", "cookie:a;b", "query:", "jwt:", "jwt")) {
      BadValueException fault =
          assertThrows(BadValueException.class, () -> KeySpec.parse("ip," + bad), bad);
      assertEquals(bad, fault.value());
    }
    assertTrue(KeySpec.parse("ip").equals(KeySpec.IP));
  }

  @Test
  void readsAnIdentityByEachKeyOfTheRule() {
    RuleSpec spec =
        RuleSpec.builder("r")
            .onMissingKey(OnMissingKey.REFUSE)
            .limits(
                List.of(
                    new BudgetSpec.Builder()
                        .rate(Rate.parse("1/1s"))
                        .key(KeySpec.parse("header:a")),
                    new BudgetSpec.Builder().rate(Rate.parse("1/1s")).key(KeySpec.IP),
                    new BudgetSpec.Builder()
                        .rate(Rate.parse("1/1h"))
                        .key(KeySpec.parse("header:a"))))
            .build();
    Rule rule = RuleSet.compile(List.of(spec), false, RuleSet.EMPTY, 0).rules().get(0);
    assertNull(reader.read(rule, of(get("/", "a", "7"))));
    long byHeader = reader.of(0).hash();
    long byAddress = reader.of(1).hash();
    assertEquals(byHeader, hash(rule("header:a"), get("/", "a", "7")));
    assertEquals(byAddress, hash(rule("ip"), get("/")));
    assertEquals(RefusalReason.IDENTITY_MISSING, reader.read(rule, of(get("/"))));
  }

  @ParameterizedTest
  @CsvSource({
    "ip, ip, 192.0.2.1",
    "header:x-user-id, header:x-user-id, ann",
    "api-key, api-key, k1",
    "header:X-Api-Key, api-key, k1",
    "cookie:s, cookie:s, c d",
    "query:q, query:q, a b",
    "header:host, header:host, Example.COM.:8443",
    "'header:x-user-id,ip', header:x-user-id, ann",
    "'ip,query:q', query:q, a b",
  })
  void anIdentityThatIsGivenIsTheOneThatIsRead(String key, String name, String value) {
    RequestView request =
        get("/?q=a+b", "x-user-id", "ann", "x-api-key", "k1", "cookie", "s=c%20d", "host", "a");
    byte[] host = "example.com".getBytes(StandardCharsets.US_ASCII);
    if (key.equals("header:host")) {
      request.reset(
          new UnsafeBuffer(host),
          0,
          host.length,
          new Peer(TextRequest.address("192.0.2.1"), false));
      request.authority(0, host.length);
    }
    Rule rule = rule(key, OnMissingKey.REFUSE);
    long hash = hash(rule, request);
    byte[] bytes = bytes();
    UnsafeBuffer given = new UnsafeBuffer(("<" + value + ">").getBytes(StandardCharsets.UTF_8));
    question.start(Operation.CHECK, Purpose.DECISION);
    question.identity(name, given, 1, given.capacity() - 2);
    if (!key.contains("ip") || key.equals("ip")) {
      assertNull(reader.read(rule, question)); // there is no request at all
      assertEquals(hash, reader.of(0).hash());
      assertArrayEquals(bytes, bytes());
    }
    question.request(get("/", "x-user-id", "eve"));
    assertNull(reader.read(rule, question), "the rest is the request's");
    assertEquals(hash, reader.of(0).hash());
    assertArrayEquals(bytes, bytes());
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  @Test
  void readsWhomTheCertificateOfTheConnectionNames() {
    CertificateNames names =
        new CertificateNames(ascii("a.example"), ascii("spiffe://a/b"), ascii("me"));
    RequestView request = TextRequest.of(names);
    assertEquals(
        hash(rule("header:n"), get("/", "n", "a.example")), hash(rule("tls:san"), request));
    assertEquals(
        hash(rule("header:n"), get("/", "n", "spiffe://a/b")), hash(rule("tls:spiffe"), request));
    assertEquals(hash(rule("header:n"), get("/", "n", "me")), hash(rule("tls:cn"), request));
  }

  @Test
  void takesAClientWithoutThatNameForOneWithoutTheKey() {
    Rule rule = rule("tls:spiffe", OnMissingKey.REFUSE);
    CertificateNames others = new CertificateNames(ascii("a"), null, ascii("b"));
    for (RequestView request :
        List.of(get("/"), TextRequest.of((CertificateNames) null), TextRequest.of(others))) {
      assertEquals(RefusalReason.IDENTITY_MISSING, reader.read(rule, of(request)));
    }
    CertificateNames longName = new CertificateNames(null, new byte[MAX_HEAD_BYTES + 1], null);
    assertEquals(RefusalReason.IDENTITY_AMBIGUOUS, reader.read(rule, of(TextRequest.of(longName))));
    assertThrows(BadValueException.class, () -> KeyPart.parse("tls:issuer"));
    assertThrows(BadValueException.class, () -> KeyPart.parse("tls:"));
  }

  private byte[] bytes() {
    byte[] bytes = new byte[reader.of(0).length()];
    reader.of(0).bytes().getBytes(0, bytes);
    return bytes;
  }

  @Test
  void refusesWhatIsGivenAndIsNone() {
    UnsafeBuffer given = new UnsafeBuffer(new byte[MAX_HEAD_BYTES + 1]);
    question.start(Operation.CHECK, Purpose.DECISION).identity("ip", given, 0, 7);
    assertEquals(RefusalReason.IDENTITY_AMBIGUOUS, reader.read(rule("ip"), question));
    question.start(Operation.CHECK, Purpose.DECISION);
    question.identity("header:a", given, 0, given.capacity());
    assertEquals(RefusalReason.IDENTITY_AMBIGUOUS, reader.read(rule("header:a"), question));
    question.start(Operation.CHECK, Purpose.DECISION);
    assertEquals(RefusalReason.IDENTITY_MISSING, reader.read(rule("ip"), question));
    Rule byAddress = rule("header:a", OnMissingKey.IP);
    assertEquals(RefusalReason.IDENTITY_MISSING, reader.read(byAddress, question));
    assertNull(reader.read(rule("header:a"), question), "all who have none share one");
  }
}
