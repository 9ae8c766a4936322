package dev.weir.proxy.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.weir.proxy.request.CostFault;
import dev.weir.proxy.request.FieldName;
import dev.weir.proxy.request.Question;
import dev.weir.proxy.request.ReportedCost;
import dev.weir.proxy.request.RequestView;
import dev.weir.proxy.request.TextRequest;
import dev.weir.proxy.rule.Rule;
import dev.weir.proxy.rule.RuleSet;
import dev.weir.proxy.rule.identity.Identities;
import dev.weir.proxy.rule.spec.CostAtEnd;
import dev.weir.proxy.rule.spec.CostSpec;
import dev.weir.proxy.rule.spec.KeyPart;
import dev.weir.proxy.rule.spec.Rate;
import dev.weir.proxy.rule.spec.RuleSpec;
import java.lang.management.ManagementFactory;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RequestCostTest {
  private static final int MIB = 1 << 20;
  private static final CostSpec BY_HEADER =
      CostSpec.ofHeader(KeyPart.parse("header:x-cost"), 100, 7);
  private static final CostSpec BY_BYTES = CostSpec.ofRequestBytes(MIB, 9);

  private final RequestCost cost = new RequestCost();

  @ParameterizedTest
  @CsvSource({
    "1, 1,",
    "99, 99,",
    "100, 100,",
    "101, 100, ABOVE_MAX",
    "007, 7,",
    "0, 0, MALFORMED",
    "-1, 0, MALFORMED",
    "1e9, 0, MALFORMED",
    "1000000000, 100, ABOVE_MAX",
    "1.0, 0, MALFORMED",
    "'', 0, MALFORMED",
    "'1, 2', 0, MALFORMED",
    "99999999999999999999999999, 100, ABOVE_MAX",
    "9999999999999999999999999x, 0, MALFORMED",
  })
  void aTrustedHeaderIsANumberUpToTheMost(String value, long units, CostFault fault) {
    cost.begin();
    assertEquals(units, cost.of(BY_HEADER, TextRequest.ofTrusted("GET", "/", "X-Cost", value)));
    assertEquals(fault, cost.fault());
  }

  @Test
  void nobodyElseSaysTheCost() {
    cost.begin();
    assertEquals(RequestCost.OF_RULE, cost.of(BY_HEADER, null));
    assertEquals(RequestCost.OF_RULE, cost.of(BY_HEADER, TextRequest.ofTrusted("GET", "/")));
    assertNull(cost.fault(), "a header that is not there");
    RequestView twice = TextRequest.ofTrusted("GET", "/", "x-cost", "5", "x-cost", "5");
    assertEquals(RequestCost.OF_RULE, cost.of(BY_HEADER, twice));
    assertEquals(CostFault.MALFORMED, cost.fault());
    RequestView stranger = TextRequest.of("GET", "/", "x-cost", "5");
    assertEquals(RequestCost.OF_RULE, cost.of(BY_HEADER, stranger));
    assertEquals(CostFault.NOT_TRUSTED, cost.fault());
  }

  @ParameterizedTest
  @CsvSource({
    "-1, 0",
    "0, 1",
    "1, 1",
    "1048576, 1",
    "1048577, 2",
    "300000000, 287",
    "999999999999999999, 953674316407"
  })
  void contentCostsOneForEachBegunUnit(long bytes, long units) {
    RequestView head = TextRequest.of("POST", "/");
    assertEquals(RequestCost.OF_RULE, cost.of(BY_BYTES, head), "unless it is told");
    head.contentLength(bytes);
    assertEquals(units, cost.of(BY_BYTES, head));
    assertEquals(units, cost.of(BY_BYTES, head.copy()));
  }

  @Test
  void allocatesNothing() {
    RuleSpec spec = RuleSpec.builder("r").rate(Rate.parse("100/1s")).cost(BY_HEADER).build();
    assertAllocatesNothing(spec, 10_000 * (5 + 7 + 7));
  }

  @Test
  void allocatesNothingForAReserve() {
    CostAtEnd learned =
        CostAtEnd.of(ReportedCost.ofHeader(FieldName.of("x-tokens")))
            .reservingByHeader(KeyPart.parse("header:x-cost"), 8);
    CostSpec held = CostSpec.ofReported(learned);
    RuleSpec spec = RuleSpec.builder("r").rate(Rate.parse("64/1s")).cost(held).build();
    assertAllocatesNothing(spec, 10_000 * (5 + 4 + 5));
  }

  private static void assertAllocatesNothing(RuleSpec spec, long perRound) {
    RuleSet rules = RuleSet.compile(List.of(spec), false, RuleSet.EMPTY, 0);
    Rule rule = rules.rules().get(0);
    Reserves reserves = new Reserves();
    reserves.use(rules);
    Question question = new Question();
    RequestView[] heads = {
      TextRequest.ofTrusted("GET", "/", "x-cost", "5"),
      TextRequest.ofTrusted("GET", "/", "x-cost", "1e9"),
      TextRequest.of("GET", "/", "x-cost", "5"),
    };
    Charges charges = new Charges(reserves);
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    HashOnly identity = new HashOnly(1);
    Identities of = group -> identity;
    long least = Long.MAX_VALUE;
    long sum = 0;
    for (int round = 0; round < 10 && least > 1_000; round++) { // the first ones also load
      long before = threads.getCurrentThreadAllocatedBytes();
      for (int i = 0; i < 30_000; i++) {
        charges.set(rule, of, question.traffic(heads[i % heads.length]));
        sum += charges.cost(0);
      }
      least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
    }
    assertTrue(least <= 1_000, least + " bytes");
    assertEquals(0, sum % perRound);
  }
}
