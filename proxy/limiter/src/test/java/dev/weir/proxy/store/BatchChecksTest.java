package dev.weir.proxy.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.weir.proxy.request.Question;
import dev.weir.proxy.store.map.StoreKeys;
import dev.weir.scripts.ScriptLimit;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class BatchChecksTest {
  private final ScriptLimit[] limits = {ScriptLimit.paced(1_000, 1_000, 1_000_000)};
  private final StoreKeys keys = new StoreKeys(1);
  private final StoreQuestion question = new StoreQuestion();
  private final BatchChecks checks = new BatchChecks();

  @Test
  void holdsAsManyRequestsOfOneBudgetAsABatchAtTheHighestCost() {
    checks.begin(0);
    keys.add(8, 0, 31, 0);
    for (int i = 0; i < BatchRequests.MAX_COUNT; i++) {
      question.check(null, i).of(keys, 0, limits);
      question.costs[0] = Question.MAX_COST;
      assertEquals(0, checks.add(question));
    }
    assertEquals(1, checks.count());
  }

  @Test
  void knowsNothingOfTheChecksOfTheBatchBefore() {
    for (int batch = 0; batch < 4; batch++) {
      checks.begin(0);
      for (int key = 0; key < BatchChecks.MAX_KEYS; key++) {
        keys.clear();
        keys.buffer().putInt(0, key);
        keys.add(8, 0, 31L * (batch * BatchChecks.MAX_KEYS + key), 0);
        assertEquals(key, checks.add(question.check(null, key).of(keys, 0, limits)));
      }
    }
  }

  @Test
  void nothingStaysBegunOfAQuestionThatThrows() {
    ScriptLimit[] two = {limits[0], ScriptLimit.concurrency(5)};
    StoreKeys names = new StoreKeys(2);
    names.add("rl:{p007}:a".getBytes(StandardCharsets.US_ASCII), 7);
    names.add("rl:{p007}:b".getBytes(StandardCharsets.US_ASCII), 7);
    checks.begin(0);
    checks.add(question.check(null, 1).of(names, 0, limits));
    ByteBuf before = Unpooled.buffer();
    checks.writeTo(before);
    List<StoreQuestion> wrong =
        List.of(
            new StoreQuestion().giveBack(0, 1, 0).of(names, 0, two),
            new StoreQuestion().check(null, 2).of(names, 0, two),
            new StoreQuestion().hold(null, 2).of(names, 0, two).holder(1, 1, 1).held(0, 0, 0, true),
            new StoreQuestion().peek(null, 2).of(names, 0, two).withHeld(2).cost(1, 0));
    for (StoreQuestion each : wrong) {
      assertThrows(IllegalArgumentException.class, () -> checks.add(each));
    }
    assertEquals(List.of("a"), names(checks));
    assertEquals(1, checks.count());
    assertEquals(0, checks.holdCount());
    ByteBuf after = Unpooled.buffer();
    checks.writeTo(after);
    assertEquals(before, after);
  }

  /** A redirection in a cluster, or another map, moves what waits to another batch. */
  @Test
  void aHoldOrAPeekThatIsMovedIsTheSameInTheNextBatch() {
    ScriptLimit[] two = {limits[0], ScriptLimit.concurrency(5)};
    StoreKeys names = new StoreKeys(2);
    names.add("rl:{p007}:a".getBytes(StandardCharsets.US_ASCII), 7);
    names.add("rl:{p007}:b".getBytes(StandardCharsets.US_ASCII), 7);
    checks.begin(0);
    checks.add(question.check(null, 1).of(names, 0, two[0].alone()));
    question.hold(null, 2).of(names, 0, two).cost(0, 9).upTo(3).holder(-5, 6, 1_000);
    question.keep(2, 1_000).held(0, 18, 40, false).held(1, 0, 0, true);
    assertEquals(4, question.batchKeyCount());
    assertEquals(54, question.batchKeyBytes());
    int hold = checks.add(question);
    int peek = checks.add(question.peek(null, 3).of(names, 0, two).withHeld(1));

    BatchChecks moved = new BatchChecks();
    moved.begin(0);
    moved.add(checks.question(hold, null, 2, new StoreQuestion()).upTo(3));
    moved.add(checks.question(peek, null, 3, new StoreQuestion()));
    ByteBuf first = Unpooled.buffer();
    ByteBuf then = Unpooled.buffer();
    checks.writeTo(first);
    moved.writeTo(then);
    assertEquals(ByteBufUtil.hexDump(then), ByteBufUtil.hexDump(first.skipBytes(59)));
    assertEquals(List.of("a", "b", "a!held", "b!held", "a", "b", "b!held"), names(moved));
    assertEquals(names(moved), names(checks).subList(1, 8));
  }

  private static List<String> names(BatchChecks of) {
    List<String> names = new ArrayList<>();
    for (int key = 0; key < of.keys().count(); key++) {
      int start = of.keys().start(key);
      byte[] bytes = of.keys().bytes();
      String name = new String(bytes, start, of.keys().length(key), StandardCharsets.US_ASCII);
      names.add(name.substring("rl:{p007}:".length()));
      assertEquals(7, of.keys().partition(key));
    }
    return names;
  }
}
