package dev.weir.proxy.records.redis;

import dev.weir.proxy.records.RecordName;
import dev.weir.proxy.records.RecordName.Kind;
import dev.weir.proxy.store.fleet.FleetMembers;
import dev.weir.proxy.store.map.Partitions;
import dev.weir.proxy.store.map.StoreKeys;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.util.Locale;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Names in Redis of a service's records. All but those of users are of one partition, so that one
 * script may write them.
 *
 * @param service of the rules; not empty.
 * @param directory of the users; not empty.
 */
public record RecordKeys(String service, String directory) {
  /** The partition of all but users. */
  static final int PARTITION = FleetMembers.PARTITION;

  /** The field of the head in the hashes of the policy and the directory. */
  static final byte[] HEAD = bytes("head");

  static final byte[] AUDIT = bytes("audit");
  static final byte[] FORMAT = bytes("format");

  byte[] policy() {
    return ofService("policy");
  }

  byte[] changes() {
    return ofService("changes");
  }

  byte[] versions() {
    return ofService("versions");
  }

  byte[] peers() {
    return ofService("peers");
  }

  byte[] audit(LocalDate day) {
    return bytes("rl:{p000}:audit:" + service + ":" + day);
  }

  byte[] directoryHead() {
    return bytes("rl:{p000}:directory:" + directory);
  }

  byte[] directoryChanges() {
    return bytes("rl:{p000}:directory-changes:" + directory);
  }

  private byte[] ofService(String name) {
    return bytes("rl:{p000}:" + name + ":" + service);
  }

  /** The hash of the users of a partition, by {@link #partition their names}. */
  public byte[] users(int partition) {
    String tag = new String(Partitions.tag(partition), StandardCharsets.US_ASCII);
    return bytes("rl:" + tag + ":users:" + directory);
  }

  /** The partition of a user, whose name is an identity's text as in names of budgets. */
  public static int partition(String user) {
    byte[] name = bytes(user);
    return Partitions.of(StoreKeys.HASH.hash(new UnsafeBuffer(name), 0, name.length));
  }

  /** The field of a rule or a part in the hash of the policy. */
  static String field(RecordName name) {
    return name.kind().name().toLowerCase(Locale.ROOT) + ":" + name.id();
  }

  /** The rule or part of a field; null if the field is of something else. */
  static RecordName named(String field) {
    for (Kind kind : new Kind[] {Kind.RULE, Kind.PART}) {
      String prefix = kind.name().toLowerCase(Locale.ROOT) + ":";
      if (field.startsWith(prefix)) {
        return new RecordName(kind, field.substring(prefix.length()));
      }
    }
    return null;
  }

  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  static String text(byte[] bytes) {
    return bytes == null ? "" : new String(bytes, StandardCharsets.UTF_8);
  }
}
