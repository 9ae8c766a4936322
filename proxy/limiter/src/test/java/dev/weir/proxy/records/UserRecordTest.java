package dev.weir.proxy.records;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.rule.spec.Amount;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class UserRecordTest {
  private static final Instant NOW = Instant.parse("2026-11-23T12:00:00Z");

  private static UserRecord read(String json) throws BadRecordException {
    return UserRecord.parse(json.replace('\'', '"'), NOW);
  }

  private static List<String> faults(String json) {
    BadRecordException bad = assertThrows(BadRecordException.class, () -> read(json));
    return bad.faults().stream().map(RecordFault::toString).toList();
  }

  @Test
  void readsAndWritesAllOfARecord() throws BadRecordException {
    String all =
        ("{'tier':'premium','limits':{'rpm':'600/1m','tpm':{'limit':'200000/1m','burst':50000},"
                + "'running':20,'daily':'unlimited','slow':{'limit':'0.5/1s','burst':1.5}},"
                + "'override':{'until':'2026-11-24T18:00:00Z','reason':'launch day','factor':1.5}}")
            .replace('\'', '"');
    UserRecord record = UserRecord.parse(all, NOW);
    assertEquals(all, record.toJson());
    assertEquals(record, UserRecord.parse(record.toJson()));
    assertEquals("premium", record.tier());
    assertEquals(Amount.parse("600/1m"), record.limits().get("rpm"));
    assertEquals(Amount.parse("200k/1m").withBurst("50k"), record.limits().get("tpm"));
    assertEquals(Amount.UNLIMITED, record.limits().get("daily"));
    assertTrue(record.limits().get("running").isAtATime());
    assertEquals(1_500, record.override().factorThousandths());
  }

  @Test
  void aRecordMaySayNothing() throws BadRecordException {
    assertEquals(UserRecord.EMPTY, read("{}"));
    assertEquals("{}", UserRecord.EMPTY.toJson());
  }

  @Test
  void writesTheTimeOfAnOverrideInUtc() throws BadRecordException {
    UserRecord record =
        read("{'override':{'until':'2026-11-24T18:00:00+02:00','reason':'x','tier':'gold'}}");
    assertEquals(Instant.parse("2026-11-24T16:00:00Z"), record.override().until());
    assertTrue(record.override().holdsAt(Instant.parse("2026-11-24T15:59:59Z")));
    assertFalse(record.override().holdsAt(Instant.parse("2026-11-24T16:00:00Z")));
    assertTrue(record.toJson().contains("\"2026-11-24T16:00:00Z\""), record.toJson());
  }

  @Test
  void tellsAllFaultsAtOnceEachByItsPointer() {
    assertEquals(
        List.of(
            "/colour: unknown (expected: tier, limits or override)",
            "/tier: 7 (expected: the name of a tier: 1 to 64 letters, digits, dots, dashes and"
                + " underscores)",
            "/limits/rpm: 0/1m (expected: 1 or more per window)",
            "/limits/a~1b: a/b (expected: the name of a limit: 1 to 64 letters, digits, dots,"
                + " dashes and underscores)",
            "/limits/tpm/depth: unknown (expected: limit or burst)",
            "/limits/tpm/burst: 0 (expected: 1 to 999999999999999)",
            "/limits/running: 0 (expected: 1 to 1000000 at a time)",
            "/override: tier and factor (expected: one of tier, limits and factor)",
            "/override/until: tomorrow (expected: a time as in 2026-11-24T18:00:00Z)",
            "/override/reason: missing (expected: a line of 1 to 500 characters)",
            "/override/factor: 0 (expected: a number from 0.001 to 1000 with at most three"
                + " decimals)"),
        faults(
            "{'tier':7,'colour':1,'limits':{'rpm':'0/1m','a/b':'1/1s',"
                + "'tpm':{'limit':'1/1s','burst':0,'depth':1},'running':0},"
                + "'override':{'until':'tomorrow','tier':'x','factor':0}}"));
  }

  @ParameterizedTest
  @CsvSource({
    "2026-11-23T12:00:00Z, false",
    "2026-11-23T12:00:01Z, true",
    "2027-11-24T12:00:00Z, true",
    "2027-11-24T12:00:01Z, false",
  })
  void anOverrideEndsInTheFutureAndInAYearAtMost(String until, boolean isTaken) throws Exception {
    String json = "{'override':{'until':'" + until + "','reason':'x','factor':2}}";
    if (isTaken) {
      read(json);
    } else {
      assertEquals(
          List.of(
              "/override/until: "
                  + until
                  + " (expected: a time after 2026-11-23T12:00:00Z, and not after"
                  + " 2027-11-24T12:00:00Z)"),
          faults(json));
    }
    UserRecord.parse(json.replace('\'', '"')); // what is kept may have ended
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "null",
        "[]",
        "'premium'",
        "{'tier':null}",
        "{'limits':[]}",
        "{'limits':{'rpm':null}}",
        "{'limits':{'rpm':-1}}",
        "{'limits':{'rpm':1.5}}",
        "{'limits':{'rpm':{'limit':'unlimited','burst':5}}}",
        "{'limits':{'rpm':{'limit':20,'burst':5}}}",
        "{'limits':{'rpm':{'burst':5}}}",
        "{'limits':{'rpm':{'limit':{'limit':'1/1s'}}}}",
        "{'override':{'until':'2026-12-01T00:00:00Z','reason':'x'}}",
        "{'override':7}",
        "{'override':{'until':'2026-12-01T00:00:00Z','reason':'x','factor':0.0001}}",
        "{'override':{'until':'2026-12-01T00:00:00Z','reason':'x','factor':'2'}}",
        "{'override':{'until':'2026-12-01T00:00:00Z','reason':'a\\u001bb','factor':2}}",
        "{'override':{'until':'2026-12-01T00:00:00Z','reason':' ','factor':2}}",
        "{'override':{'until':7,'reason':'x','factor':2}}",
      })
  void refusesWhatIsNoRecord(String json) {
    assertEquals(1, faults(json).size(), () -> faults(json).toString());
  }

  @Test
  void refusesMoreCharactersThanARecordHas() throws BadRecordException {
    String most = "{" + " ".repeat(UserRecord.MAX_CHARACTERS - 2) + "}";
    assertEquals(UserRecord.EMPTY, read(most));
    assertEquals(1, faults(most + " ").size());
  }

  @Test
  void refusesMoreLimitsThanAnyoneHas() throws BadRecordException {
    StringBuilder limits = new StringBuilder();
    for (int i = 0; i < UserRecord.MAX_LIMITS; i++) {
      limits.append(i == 0 ? "" : ",").append("'l").append(i).append("':1");
    }
    assertEquals(64, read("{'limits':{" + limits + "}}").limits().size());
    assertEquals(
        List.of("/limits: 65 limits (expected: at most 64)"),
        faults("{'limits':{" + limits + ",'one':1}}"));
  }

  private static List<String> passedOver(String json, String holds) throws BadRecordException {
    List<String> passedOver = new ArrayList<>();
    UserRecord record =
        UserRecord.parseKept(
            json.replace('\'', '"'),
            fault -> passedOver.add(fault.pointer() + " " + fault.found()));
    assertEquals(holds.replace('\'', '"'), record.toJson());
    return passedOver;
  }

  @Test
  void whatANewerVersionWroteHoldsWithoutTheMembersThatAreNotKnownHere() throws Exception {
    assertEquals(
        List.of("/colour unknown", "/limits/rpm/shape unknown", "/override/by unknown"),
        passedOver(
            "{'colour':'red','tier':'gold','limits':{'rpm':{'limit':'5/1m','shape':'flat'}},"
                + "'override':{'until':'2026-01-01T00:00:00Z','reason':'x','tier':'a','by':'y'}}",
            "{'tier':'gold','limits':{'rpm':'5/1m'},"
                + "'override':{'until':'2026-01-01T00:00:00Z','reason':'x','tier':'a'}}"));
  }

  @Test
  void ofAnOverrideThatIsNotKnownHereNoHalfHolds() throws Exception {
    assertEquals(
        List.of("/override/add unknown", "/override none of them"),
        passedOver(
            "{'tier':'gold','override':{'until':'2026-01-01T00:00:00Z','reason':'x','add':5}}",
            "{'tier':'gold'}"));
    assertEquals(
        List.of("/limits/rpm 5/1 moon", "/override/limits/rpm a lot"),
        passedOver(
            "{'limits':{'rpm':'5/1 moon','tpm':'6/1m'},'override':{"
                + "'until':'2026-01-01T00:00:00Z','reason':'x','limits':{'rpm':'a lot'}}}",
            "{'limits':{'tpm':'6/1m'}}"));
  }

  @Test
  void aKeptRecordThatIsNoObjectIsNone() {
    for (String json : List.of("[]", "7", "{", "null")) {
      assertThrows(BadRecordException.class, () -> UserRecord.parseKept(json, fault -> {}), json);
    }
  }

  @Test
  void changesOnePartAndKeepsTheOthers() throws BadRecordException {
    UserRecord record = read("{'tier':'free','limits':{'rpm':'1/1s'}}");
    assertEquals(
        "{\"tier\":\"gold\",\"limits\":{\"rpm\":\"1/1s\"}}", record.withTier("gold").toJson());
    assertEquals("{\"tier\":\"free\"}", record.withLimit("rpm", null).toJson());
    assertEquals(
        "{\"tier\":\"free\",\"limits\":{\"rpm\":\"1/1s\",\"running\":3}}",
        record.withLimit("running", Amount.parse("3")).toJson());
    assertEquals(record, record.withOverride(null));
  }
}
