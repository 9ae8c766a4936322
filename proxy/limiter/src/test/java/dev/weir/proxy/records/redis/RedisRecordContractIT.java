package dev.weir.proxy.records.redis;

import dev.weir.proxy.records.RecordStore;
import dev.weir.proxy.records.RecordStoreContractTest;
import dev.weir.scripts.server.RedisServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;

/** Records in Redis keep the promise of all stores. */
@Timeout(60)
class RedisRecordContractIT extends RecordStoreContractTest {
  private static final RedisServer redis = RedisServer.shared();

  private RecordsRig rig;

  @BeforeEach
  void start() throws Exception {
    redis.text("FLUSHALL");
    rig = new RecordsRig(redis.port());
  }

  @AfterEach
  void stop() {
    rig.close();
  }

  @Override
  protected RecordStore store() {
    return rig.records;
  }
}
