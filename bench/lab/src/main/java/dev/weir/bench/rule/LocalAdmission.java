package dev.weir.bench.rule;

import dev.weir.proxy.admission.AdmissionHandler;
import dev.weir.proxy.admission.AdmissionSettings;
import dev.weir.proxy.admission.LimitTables;
import dev.weir.proxy.admission.LocalGate;
import dev.weir.proxy.admission.StoreNames;
import dev.weir.proxy.admission.TopKeys;
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
  private final AdmissionHandler admission =
      new AdmissionHandler(
          new LocalGate(tables),
          new IdentityReader(
              IdentitySettings.DEFAULT,
              KeyHasher.withKey(1, 2),
              new ClientIpReader(IdentitySettings.DEFAULT),
              1024),
          new Metrics().newLoop(),
          clock,
          channel.eventLoop());

  LocalAdmission(RuleSet rules) {
    admission.publish(rules);
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
    channel.close();
  }
}
