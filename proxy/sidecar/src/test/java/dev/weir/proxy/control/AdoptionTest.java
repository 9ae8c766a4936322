package dev.weir.proxy.control;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weir.proxy.records.RecordStore;
import dev.weir.proxy.records.RecordVersion;
import dev.weir.proxy.records.RunningSidecar;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Sidecars of a large fleet are counted with few questions to the store. */
class AdoptionTest {
  private static final RecordVersion WANTED = new RecordVersion(5, 1);
  private static final RecordVersion LATER = new RecordVersion(6, 2);
  private static final RecordVersion LOST = new RecordVersion(6, 3);

  private final List<RunningSidecar> sidecars = new ArrayList<>();
  private final List<RecordVersion> asked = new ArrayList<>();

  private RecordStore store() {
    return (RecordStore)
        Proxy.newProxyInstance(
            RecordStore.class.getClassLoader(),
            new Class<?>[] {RecordStore.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("sidecars")) {
                return sidecars;
              }
              assertEquals("knows", method.getName());
              asked.add((RecordVersion) arguments[0]);
              return arguments[0].equals(LATER);
            });
  }

  private void run(int count, RecordVersion inUse, RecordVersion refused) {
    for (int i = 0; i < count; i++) {
      sidecars.add(new RunningSidecar("s" + sidecars.size(), inUse, refused));
    }
  }

  @Test
  void asksOnceForEachLaterVersionHoweverManySidecarsFollowIt() throws Exception {
    run(100, WANTED, null);
    run(700, LATER, null);
    run(150, LOST, null);
    run(40, LATER, new RecordVersion(7, 4));
    run(10, RecordVersion.NONE, WANTED);
    assertEquals(new Adoption(1_000, 800, 10), Adoption.of(store(), WANTED));
    assertEquals(List.of(LATER, LOST), asked);
  }
}
