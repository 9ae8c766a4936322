package dev.weir.proxy.records.redis;

import dev.weir.proxy.log.PeerText;
import dev.weir.proxy.records.RecordJson;
import dev.weir.proxy.records.RecordName;
import dev.weir.proxy.records.RecordVersion;
import dev.weir.proxy.records.StoredRecord;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads records as Redis has them: ETag and JSON, with a blank between them. One that somebody
 * damaged is passed over, counted, and named once. Any thread.
 */
final class KeptRecords {
  private static final Logger LOG = LoggerFactory.getLogger(KeptRecords.class);

  /** The most names of damaged records that are kept and logged. */
  private static final int MOST_NAMED = 1000;

  private final LongAdder damaged = new LongAdder();
  private final Set<RecordName> named = ConcurrentHashMap.newKeySet();

  static String etag(byte[] value) {
    String text = RecordKeys.text(value);
    int blank = text.indexOf(' ');
    return blank < 0 ? text : text.substring(0, blank);
  }

  /** The record in a value; null if there is none, or it is damaged. */
  StoredRecord read(RecordName name, byte[] value) {
    if (value == null) {
      return null;
    }
    String etag = etag(value);
    String text = RecordKeys.text(value);
    try {
      String json = RecordJson.record(text.substring(Math.min(text.length(), etag.length() + 1)));
      return new StoredRecord(name, RecordVersion.parse(etag), json);
    } catch (IllegalArgumentException malformed) {
      damaged.increment();
      if (named.size() < MOST_NAMED && named.add(name)) {
        LOG.warn(
            "redis: the record of {} {} is passed over: {} (expected: a version, a blank and JSON)",
            name.kind().name().toLowerCase(Locale.ROOT),
            PeerText.shown(name.id()),
            PeerText.shown(String.valueOf(malformed.getMessage())));
      }
      return null;
    }
  }

  /** How often a damaged record was met. */
  long damagedCount() {
    return damaged.sum();
  }
}
