package dev.weir.proxy.records.redis;

import dev.weir.proxy.records.RecordListener;
import dev.weir.proxy.records.RecordName;
import dev.weir.proxy.records.RecordVersion;
import dev.weir.proxy.store.fleet.ChangeFeed;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Follows the versions of the rules and of the directory by the heartbeats, and notes in the store
 * which version this sidecar has in use: once it has changed, and every tenth time.
 */
final class RecordFeed implements ChangeFeed {
  private static final int BEATS_PER_NOTE = 10;

  /**
   * The store is away if it has told nothing for longer: about two heartbeats of the largest fleet.
   */
  private static final long AWAY_NS = TimeUnit.SECONDS.toNanos(3);

  // Of what beat.lua says of a set.
  private static final long UNCHANGED = 0;
  private static final long SOME = 1;

  /** Learns which rules have changed. */
  interface RuleChanges {
    /**
     * @param names null if all may have changed.
     */
    void changed(RecordVersion from, RecordVersion to, List<RecordName> names);
  }

  private final RecordKeys keys;
  private final RuleChanges rules;
  private RecordVersion rulesKnown = RecordVersion.NONE;
  private RecordVersion usersKnown = RecordVersion.NONE;
  private long userCount;
  private boolean isFirst = true;
  private String noted = "";
  private String noting = "";
  private int beatsToNote;
  private volatile String id = "";
  private volatile String inUse = RecordVersion.NONE.toString();
  private volatile Runnable beatSoon = () -> {};
  private volatile long answeredNs = System.nanoTime();
  private volatile RecordListener listener;

  RecordFeed(RecordKeys keys, RuleChanges rules) {
    this.keys = keys;
    this.rules = rules;
  }

  void listen(RecordListener told) {
    listener = told;
  }

  /** The id by which the heartbeats name this sidecar; empty before the first. Any thread. */
  String sidecar() {
    return id;
  }

  /**
   * Sets the version that is in use here, and tells it soon. Any thread.
   *
   * @param refused a later one that cannot be taken; null if there is none.
   */
  void use(RecordVersion version, RecordVersion refused) {
    inUse = refused == null ? version.toString() : version + " " + refused;
    beatSoon.run();
  }

  /** Asks soon what has changed, as this sidecar has changed something. Any thread. */
  void written() {
    beatSoon.run();
  }

  /** For how many seconds the store has been away; 0 while it answers. Any thread. */
  long awaySeconds() {
    long sinceNs = System.nanoTime() - answeredNs;
    return sinceNs < AWAY_NS ? 0 : TimeUnit.NANOSECONDS.toSeconds(sinceNs);
  }

  @Override
  public void begin(Runnable beat) {
    beatSoon = beat;
  }

  @Override
  public byte[][] keys() {
    return new byte[][] {
      keys.policy(), keys.changes(), keys.versions(), keys.directoryHead(), keys.directoryChanges()
    };
  }

  @Override
  public byte[][] arguments(String sidecar, boolean leaves) {
    id = sidecar;
    String now = sidecar + " " + inUse;
    boolean notes = !now.equals(noted) || --beatsToNote <= 0;
    noting = leaves || !notes ? "" : now;
    return new byte[][] {
      text(rulesKnown),
      text(usersKnown),
      RecordKeys.bytes(leaves || notes ? noted : ""),
      RecordKeys.bytes(noting)
    };
  }

  private static byte[] text(RecordVersion known) {
    return RecordKeys.bytes(known.equals(RecordVersion.NONE) ? "" : known.toString());
  }

  @Override
  public void answered(List<?> answer) {
    answeredNs = System.nanoTime();
    if (!noting.isEmpty()) {
      noted = noting;
      beatsToNote = BEATS_PER_NOTE;
    }
    RecordListener told = listener;
    if (told == null) {
      return;
    }
    tellOfRules((List<?>) answer.get(0), told); // at first even if there is no set: it may be lost
    tellOfUsers((List<?>) answer.get(1), told);
    long count = (Long) answer.get(2);
    if (isFirst || count != userCount) {
      userCount = count;
      told.usersCounted(count);
    }
    isFirst = false;
  }

  private void tellOfRules(List<?> changes, RecordListener told) {
    RecordVersion head = version(changes.get(0));
    long what = (Long) changes.get(1);
    if (what == UNCHANGED && !isFirst) {
      return;
    }
    List<RecordName> names = null;
    if (what == SOME) {
      names = new ArrayList<>();
      for (int i = 2; i < changes.size(); i += 2) {
        RecordName name = RecordKeys.named(RecordKeys.text((byte[]) changes.get(i)));
        if (name != null) {
          names.add(name);
        }
      }
    }
    rules.changed(rulesKnown, head, names);
    rulesKnown = head;
    told.rulesChanged(head);
  }

  private void tellOfUsers(List<?> changes, RecordListener told) {
    RecordVersion head = version(changes.get(0));
    long what = (Long) changes.get(1);
    boolean isAnyChanged = what != SOME && what != UNCHANGED;
    for (int i = 2; i < changes.size(); i += 2) {
      String user = RecordKeys.text((byte[]) changes.get(i));
      if (UserNames.isHashed(user)) {
        isAnyChanged = true; // nobody can tell whose hash it is
      } else {
        told.userChanged(UserNames.identity(user), version(changes.get(i + 1)));
      }
    }
    if (isAnyChanged) {
      told.allUsersChanged();
    }
    usersKnown = head;
  }

  private static RecordVersion version(Object text) {
    String version = RecordKeys.text((byte[]) text);
    try {
      return version.isEmpty() ? RecordVersion.NONE : RecordVersion.parse(version);
    } catch (IllegalArgumentException damaged) {
      return RecordVersion.NONE; // whoever reads the set says so
    }
  }
}
