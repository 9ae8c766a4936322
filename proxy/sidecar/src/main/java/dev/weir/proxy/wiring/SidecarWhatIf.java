package dev.weir.proxy.wiring;

import dev.weir.proxy.admission.AddressLists;
import dev.weir.proxy.admission.AdmissionHandler;
import dev.weir.proxy.admission.Candidate;
import dev.weir.proxy.admission.LimitTables;
import dev.weir.proxy.admission.StoreNames;
import dev.weir.proxy.admission.Users;
import dev.weir.proxy.admission.WhatIf;
import dev.weir.proxy.admission.ban.Bans;
import dev.weir.proxy.api.CandidateRules;
import dev.weir.proxy.control.Faults;
import dev.weir.proxy.control.RecordedRules;
import dev.weir.proxy.control.RecordedRules.Reading;
import dev.weir.proxy.control.RuleSource;
import dev.weir.proxy.control.Settings;
import dev.weir.proxy.control.WhatIfFile;
import dev.weir.proxy.loop.LoopBroadcast;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.loop.Transport;
import dev.weir.proxy.metrics.LoopMetrics;
import dev.weir.proxy.metrics.Metrics;
import dev.weir.proxy.metrics.WhatIfCounts;
import dev.weir.proxy.metrics.WhatIfCounts.Outcome;
import dev.weir.proxy.metrics.WhatIfReport;
import dev.weir.proxy.rule.RuleSet;
import dev.weir.proxy.rule.Shares;
import dev.weir.proxy.rule.identity.ClaimReader;
import dev.weir.proxy.rule.identity.ClientIpReader;
import dev.weir.proxy.rule.identity.ClientKeyReader;
import dev.weir.proxy.rule.identity.IdentityReader;
import dev.weir.proxy.rule.identity.KeyHasher;
import dev.weir.proxy.rule.spec.Enforcement;
import dev.weir.proxy.store.LoopStore;
import dev.weir.proxy.store.Store;
import dev.weir.proxy.watch.Reloads;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The candidate of a sidecar: all that decides by its rules, which is apart from what decides
 * requests. Tables, leases, connections to the store, counters and memory of tokens are its own, so
 * that nothing of it can fill, slow down or open what the rules in use have.
 */
public final class SidecarWhatIf implements CandidateRules {
  /** Behind the service's name, in names in the store; no service's name has a question mark. */
  private static final String SUFFIX = "?what-if";

  private static final Logger LOG = LoggerFactory.getLogger(SidecarWhatIf.class);

  private final Settings settings;

  /** The tokens of clients; null if none are read. */
  private final SidecarTokens tokens;

  private final LimitTables tables;
  private final Gates gates;

  /** The candidate's store; null if there is none. */
  private final Store store;

  private final Shares shares = new Shares();
  private final AddressLists lists = new AddressLists();
  private final Bans bans;
  private final Users users = new Users();

  /** The files of the candidate's lists; null as long as there is no candidate. */
  private SidecarLists listFiles;

  /** Counts what handlers and gates count, and is shown nowhere. */
  private final Metrics hidden = new Metrics();

  private final Reloads reloads = new Reloads();
  private final WhatIfFile file;
  private final List<Loop> loops = new ArrayList<>();
  private final LoopBroadcast<Loop> admissions = new LoopBroadcast<>();
  private volatile Candidate candidate;

  /** The file's rules when it was read last without a fault; null if it never was. */
  private RuleSource ofFile;

  /** Whether an operator has put another candidate in the place of the file's. */
  private volatile boolean isReplaced;

  private volatile int permille;
  private volatile Round round;

  /**
   * The part of an event loop.
   *
   * @param index among the loops.
   */
  private record Loop(WhatIf whatIf, int index) {}

  /**
   * The time since either set of rules has changed.
   *
   * @param counts of each event loop.
   */
  private record Round(Instant since, List<WhatIfCounts> counts) {
    static Round of(List<WhatIfCounts> counts) {
      return new Round(Instant.now(), List.copyOf(counts));
    }
  }

  /**
   * @param tokens of clients; null if none are read.
   */
  SidecarWhatIf(Settings settings, Transport transport, SidecarTokens tokens) {
    this.settings = settings;
    permille = settings.whatIf().permille();
    this.tokens = tokens;
    tables = LimitTables.allocate(settings.admission(), settings.ringCells());
    StoreNames names = settings.names().besides(SUFFIX);
    bans = Bans.untold(names.hashKeyInUse());
    gates = Gates.of(tables, settings.store(), names);
    store =
        settings.store().isConfigured()
            ? new Store(settings.store(), transport, names.service(), () -> "", shares::divideBy)
            : null;
    file = new WhatIfFile(settings.whatIf().file(), settings, reloads, this::take);
  }

  /** The faults that a start would tell of the candidate; none if it is good or there is none. */
  public static List<String> faults(Settings settings) {
    if (!settings.whatIf().isConfigured()) {
      return List.of();
    }
    Path path = settings.whatIf().file();
    Faults faults = Faults.ofFile(path.toString());
    Settings read = WhatIfFile.read(path, settings, faults);
    List<String> all =
        read == null ? List.of(faults.toString()) : SidecarLists.faults(read.rules().lists());
    return all.stream().map(fault -> "what-if.file: " + fault).toList();
  }

  /** The most bytes of the candidate's tables. */
  long bytes() {
    return tables.bytes();
  }

  /**
   * Makes its part of an event loop.
   *
   * @param rules decide requests on the same event loop.
   */
  WhatIf join(LoopParts parts, AdmissionHandler rules, KeyHasher hasher) {
    LoopClock clock = parts.clock();
    LoopMetrics metrics = hidden.newLoop();
    ClientIpReader clientIp = new ClientIpReader(settings.identity());
    ClaimReader claims =
        tokens == null
            ? ClaimReader.NONE
            : tokens.join(clock, hasher, new ClientKeyReader(settings.identity(), clientIp));
    LoopStore loopStore =
        store == null
            ? null
            : store.join(parts.eventLoop(), clock, parts.deadlines(), metrics.store());
    AdmissionHandler handler =
        new AdmissionHandler(
            gates.make(loopStore, clock, metrics),
            lists,
            bans,
            users,
            identities(hasher, clientIp, claims),
            metrics,
            clock,
            parts.eventLoop());
    WhatIf whatIf =
        new WhatIf(
            rules, handler, identities(hasher, clientIp, claims), settings.names().identityText());
    Loop loop = new Loop(whatIf, loops.size());
    loops.add(loop);
    admissions.add(parts.eventLoop(), loop);
    return whatIf;
  }

  private IdentityReader identities(KeyHasher hasher, ClientIpReader clientIp, ClaimReader claims) {
    int headBytes = settings.client().caps().headBytes();
    return new IdentityReader(settings.identity(), hasher, clientIp, claims, headBytes);
  }

  /** Begins to connect to the store, reads the candidate and follows its file. */
  void start(Metrics metrics) {
    List<WhatIfCounts> counts = new ArrayList<>();
    loops.forEach(loop -> counts.add(new WhatIfCounts()));
    begin(Round.of(counts));
    Map<String, LongSupplier> outcomes = new LinkedHashMap<>();
    for (Outcome outcome : Outcome.values()) {
      outcomes.put(outcome.label(), () -> sum(of -> of.total(outcome)));
    }
    metrics.counters(
        "weir_what_if_requests",
        "Requests about which the candidate was asked, by which of the two refuses them.",
        "outcome",
        outcomes);
    metrics.counter(
        "weir_what_if_uncompared",
        "Requests about which the candidate was not asked for want of room, or by a fault of Weir.",
        () -> sum(WhatIfCounts::uncomparedTotal));
    new SidecarFigures(metrics).expose("weir_what_if", "the candidate", reloads);
    if (store != null) {
      store.start(0); // nobody waits for the candidate's store
    }
    file.start();
  }

  private long sum(ToLongFunction<WhatIfCounts> figure) {
    return round.counts().stream().mapToLong(figure).sum();
  }

  /**
   * Takes other rules into use. They begin without bans, with fresh budgets, and their counts at 0.
   * Budgets in the store have a digest of the rules in their names, so that the sidecars of a fleet
   * share them.
   */
  private synchronized void take(RuleSource source) throws IOException {
    if (!isReplaced) {
      use(source);
    }
    ofFile = source;
  }

  @Override
  public Reading compile(byte[] document) {
    return new RecordedRules(settings).readDocument(document, RuleSet.EMPTY);
  }

  @Override
  public synchronized void replace(RuleSource rules, int asked) {
    permille = asked == 0 ? settings.whatIf().permille() : asked;
    try {
      use(rules);
    } catch (IOException impossible) {
      throw new IllegalStateException("a document names no file", impossible);
    }
    isReplaced = true;
  }

  @Override
  public synchronized boolean returnToFile() {
    int before = permille;
    permille = settings.whatIf().permille();
    try {
      if (ofFile != null && isReplaced) {
        use(ofFile);
        isReplaced = false;
      }
    } catch (IOException gone) {
      LOG.error("what-if: the candidate of the file cannot be used: {}", gone.getMessage());
    }
    permille = isReplaced ? before : permille;
    return !isReplaced;
  }

  private void use(RuleSource source) throws IOException {
    SidecarLists files = new SidecarLists(source.lists());
    Candidate last = candidate;
    RuleSet before = last == null ? RuleSet.EMPTY : last.rules();
    // Of rules that are in no set any more nothing is carried over, and no key means a new budget.
    use(source.compile(before.cleared("?" + source.digest(settings.names()))), files);
  }

  private synchronized void use(RuleSet rules, SidecarLists files) {
    publish(rules, WhatIf::replace);
    if (listFiles != null) {
      listFiles.close();
    }
    listFiles = files;
    listFiles.follow(lists, new Metrics());
    begin();
  }

  private void publish(RuleSet rules, BiConsumer<WhatIf, Candidate> how) {
    shares.follow(rules);
    bans.use(rules);
    rules.succeed();
    Candidate next = new Candidate(rules, permille);
    candidate = next;
    admissions.tell(loop -> how.accept(loop.whatIf(), next), rules::completeAdoption);
  }

  /** The time of day was set: windows of the clock and the calendar follow it. */
  synchronized void renew() {
    if (candidate != null) {
      RuleSet renewed = candidate.rules().again(LoopClock.unixEpochNs(), LoopClock.timeNs());
      publish(renewed, WhatIf::publish);
    }
  }

  /** Counts from 0, as what is compared has changed. */
  synchronized void begin() {
    if (round != null) {
      begin(Round.of(round.counts().stream().map(WhatIfCounts::anew).toList()));
    }
  }

  private void begin(Round next) {
    round = next;
    admissions.tell(loop -> loop.whatIf().count(next.counts().get(loop.index())));
  }

  /** The comparison so far; does not wait. */
  @Override
  public WhatIfReport report() {
    Round now = round;
    Instant since = candidate == null ? null : now.since();
    boolean isLatest = isReplaced || reloads.isLastTaken();
    return WhatIfReport.of(since, Enforcement.percent(permille), isLatest, now.counts());
  }

  Reloads reloads() {
    return reloads;
  }

  /** Reads the candidate's file and those of its lists again, changed or not. Any thread. */
  void reload() {
    file.reload();
    reloadLists();
  }

  private synchronized void reloadLists() {
    if (listFiles != null) {
      listFiles.reload();
    }
  }

  /** Follows no file any more, and leaves the store. */
  void stop() {
    file.close();
    closeLists();
    if (store != null) {
      store.close();
    }
  }

  private synchronized void closeLists() {
    if (listFiles != null) {
      listFiles.close();
    }
  }

  /** Frees the memory. No event loop may be inside a check. */
  void close() {
    gates.close();
    tables.close();
    users.close();
  }
}
