package dev.weir.proxy.records.redis;

import static dev.weir.proxy.records.redis.RecordsRig.ANN;
import static dev.weir.proxy.records.redis.RecordsRig.user;
import static dev.weir.proxy.records.redis.RecordsRig.write;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.records.RecordStoreException;
import dev.weir.proxy.records.RecordWrite;
import dev.weir.proxy.records.StoredRecord;
import dev.weir.proxy.store.map.StoreLogin;
import dev.weir.proxy.store.map.Topology;
import dev.weir.scripts.server.Await;
import dev.weir.scripts.server.FaultProxy;
import dev.weir.scripts.server.RedisKind;
import dev.weir.scripts.server.RedisServer;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Users on two servers, one of which is away. */
@Timeout(60)
class UserReadsIT {
  private static final int USERS = 200;
  private static final RedisServer healthy = RedisServer.shared();

  private final List<String> ofHealthy = new ArrayList<>();
  private final List<String> ofOther = new ArrayList<>();

  /** The one thread that reads users of a sidecar. */
  private final ExecutorService thread = Executors.newSingleThreadExecutor();

  private RedisServer other;
  private FaultProxy faults;
  private RecordsRig rig;

  @BeforeEach
  void start() throws Exception {
    healthy.text("FLUSHALL");
    other = RedisKind.EMBEDDED.start();
    faults = new FaultProxy(other.port());
    rig =
        new RecordsRig(
            RecordsRig.settings(
                Topology.SHARDED, null, StoreLogin.NONE, healthy.port(), faults.port()));
    InetSocketAddress of = faults.address();
    List<RecordWrite> writes = new ArrayList<>();
    for (int i = 0; i < USERS; i++) {
      String name = "user" + i;
      boolean isOfOther = rig.store.servers().of(RecordKeys.partition(name)).equals(of);
      (isOfOther ? ofOther : ofHealthy).add(name);
      writes.add(write(user(name), null, "{}"));
    }
    rig.records.writeUsers(writes, ANN);
    assertTrue(ofOther.size() > USERS / 4 && ofHealthy.size() > USERS / 4, ofOther::toString);
  }

  @AfterEach
  void stop() throws Exception {
    thread.shutdownNow();
    rig.close();
    faults.close();
    other.close();
  }

  private CompletableFuture<Optional<StoredRecord>> read(String name) {
    return CompletableFuture.supplyAsync(
            () -> rig.records.userAsync(name, thread).toCompletableFuture(), thread)
        .thenCompose(reading -> reading);
  }

  private List<CompletableFuture<Optional<StoredRecord>>> readAll(List<String> names) {
    return names.stream().map(this::read).toList();
  }

  private static boolean isThere(CompletableFuture<Optional<StoredRecord>> reading)
      throws InterruptedException {
    try {
      return reading.get().isPresent();
    } catch (ExecutionException fault) {
      assertEquals(RecordStoreException.class, fault.getCause().getClass());
      return false;
    }
  }

  /** Whether all are read; on a busy machine a server may be late, and is taken for away. */
  private boolean areRead(List<String> names) throws InterruptedException {
    boolean areRead = true;
    for (CompletableFuture<Optional<StoredRecord>> reading : readAll(names)) {
      areRead &= isThere(reading);
    }
    return areRead;
  }

  @Test
  void aServerThatIsAwayCostsItsOwnUsersOnly() throws Exception {
    Await.until("both answer", () -> areRead(ofOther) && areRead(ofHealthy));
    faults.blackhole();
    List<CompletableFuture<Optional<StoredRecord>>> lost = readAll(ofOther);
    Await.until("the others are read", () -> areRead(ofHealthy));
    for (CompletableFuture<Optional<StoredRecord>> reading : lost) {
      assertFalse(isThere(reading));
    }
    faults.pass();
    Await.until("it is back", () -> areRead(ofOther));
  }
}
