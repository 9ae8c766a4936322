package dev.weir.bench.rule;

import dev.weir.proxy.admission.AddressLists;
import dev.weir.proxy.admission.AdmissionHandler;
import dev.weir.proxy.admission.AdmissionSettings;
import dev.weir.proxy.admission.LimitTables;
import dev.weir.proxy.admission.LocalGate;
import dev.weir.proxy.admission.RecordedUsers;
import dev.weir.proxy.admission.StoreNames;
import dev.weir.proxy.admission.TopKeys;
import dev.weir.proxy.admission.Users;
import dev.weir.proxy.admission.ban.Bans;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.metrics.Metrics;
import dev.weir.proxy.request.Admission;
import dev.weir.proxy.request.Question;
import dev.weir.proxy.request.RequestEnd;
import dev.weir.proxy.request.Verdict;
import dev.weir.proxy.request.VerdictListener;
import dev.weir.proxy.rule.RuleSet;
import dev.weir.proxy.rule.identity.ClientIpReader;
import dev.weir.proxy.rule.identity.IdentityReader;
import dev.weir.proxy.rule.identity.IdentitySettings;
import dev.weir.proxy.rule.identity.KeyHasher;
import io.netty.channel.embedded.EmbeddedChannel;

/** The admission of one event loop, with limits of mode local. */
final class LocalAdmission implements AutoCloseable {
  private static final VerdictListener NOBODY = (ticket, late) -> {};

  private final LoopClock clock = new LoopClock();
  private final EmbeddedChannel channel = new EmbeddedChannel();
  private final LimitTables tables = LimitTables.allocate(new AdmissionSettings(100_000, 1, 0), 0);
  private final Users users = new Users();
  private final KeyHasher hasher = KeyHasher.withKey(1, 2);
  private final AdmissionHandler admission =
      new AdmissionHandler(
          new LocalGate(tables),
          new AddressLists(),
          new Bans(""),
          users,
          new IdentityReader(
              IdentitySettings.DEFAULT, hasher, new ClientIpReader(IdentitySettings.DEFAULT), 1024),
          new Metrics().newLoop(),
          clock,
          channel.eventLoop());

  /** Null if users have no records. */
  private final RecordedUsers recorded;

  LocalAdmission(RuleSet rules) {
    recorded = null;
    admission.publish(rules);
  }

  /** Admission by rules of users whose records are read at once. */
  LocalAdmission(RuleSet rules, RecordedUsers.Reader records) {
    recorded =
        new RecordedUsers(
            users, tables, hasher, records, (task, delayNs) -> task.run(), clock::nowNs, 1);
    recorded.usersCounted(1);
    admission.publish(rules);
  }

  /** Has the table of users know what a user's record says. */
  void know(String user) {
    recorded.know(user);
  }

  /** Counts the keys of what is asked. */
  void countKeys() {
    admission.count(new TopKeys(StoreNames.DEFAULT.identityText(), 1, clock.nowNs()));
  }

  /** The verdict, which limits of mode local give at once. */
  Verdict ask(Question question) {
    return admission.ask(question, NOBODY, clock.tick()).verdict();
  }

  void ended(RequestEnd end) {
    admission.ended(Admission.SETTLED, end);
  }

  @Override
  public void close() {
    tables.close();
    users.close();
    channel.close();
  }
}
