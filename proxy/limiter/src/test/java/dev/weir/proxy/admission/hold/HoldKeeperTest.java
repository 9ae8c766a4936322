package dev.weir.proxy.admission.hold;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.weir.proxy.metrics.Metrics;
import dev.weir.proxy.request.StoreObserver;
import dev.weir.proxy.rule.BudgetGroup;
import dev.weir.proxy.rule.RuleSet;
import dev.weir.proxy.rule.spec.BudgetSpec;
import dev.weir.proxy.rule.spec.KeySpec;
import dev.weir.proxy.rule.spec.Mode;
import dev.weir.proxy.rule.spec.RuleSpec;
import dev.weir.proxy.store.ModelServer;
import dev.weir.proxy.store.ModelStore;
import dev.weir.proxy.store.map.StoreKeys;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class HoldKeeperTest {
  private final ModelStore model =
      new ModelStore(
          List.of(new ModelServer(1)), List.of(), false, new StoreObserver() {}, 5_000_000);
  private final Metrics metrics = new Metrics();
  private final HoldKeeper keeper =
      new HoldKeeper(model.store(), model.clock(), metrics.newLoop().store().holds(), 16);
  private final StoreKeys names = new StoreKeys(1);
  private final BudgetGroup group = group();

  @AfterEach
  void close() {
    model.close();
  }

  private static BudgetGroup group() {
    RuleSpec rule =
        RuleSpec.builder("r")
            .key(KeySpec.ALL)
            .mode(Mode.EXACT)
            .limits(List.of(new BudgetSpec.Builder().concurrency(2)))
            .build();
    return RuleSet.compile(List.of(rule), null, false, RuleSet.EMPTY, 0, 1).find("r").group(0);
  }

  private StoreHold begin(long key) {
    names.clear();
    byte[] name = "rl:{p000}:d:i:r".getBytes(StandardCharsets.US_ASCII);
    names.buffer().putBytes(0, name);
    names.add(name.length, 0, 7, key);
    return keeper.begin(key, group, names, 0, model.clock().nowNs());
  }

  @Test
  void givesAKeyBeyondTheMostThePlaceOfOneThatNobodyUses() {
    StoreHold first = begin(0);
    for (int key = 1; key < HoldKeeper.MAX_KEYS; key++) {
      assertNotNull(begin(key));
    }
    assertNull(begin(-1), "all are in use");
    assertNotNull(begin(1), "a key that has a place");
    keeper.undo(first);
    assertNull(begin(-1), "places were looked for just now");
    model.pass(HoldKeeper.SWEEP_NS);
    assertNotNull(begin(-1));
    assertEquals(HoldKeeper.MAX_KEYS, keeper.keyCount());
  }
}
