package dev.weir.proxy.store;

import dev.weir.proxy.request.StoreFault;
import dev.weir.scripts.CheckCall;
import dev.weir.scripts.CheckReply;
import dev.weir.scripts.LuaScript;
import dev.weir.scripts.ScriptLimit;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.ProtocolKeyword;
import io.lettuce.core.protocol.RedisCommand;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * One batch: the checks of a script call, the requests that wait for them, and the call itself as
 * Lettuce takes it. Requests for one budget share a check and are granted in the order they came.
 * What it gives back of earlier ones stands before its checks, see {@link Refunds}.
 *
 * <p>A flight is filled, sent, answered or lost, and used again. Its memory grows to what was
 * needed once, and stays. Used by one event loop.
 */
final class Flight implements RedisCommand<byte[], byte[], byte[]> {
  /** As many checks at most, as each has one key or more. */
  static final int MAX_KEYS = 256;

  static final int MAX_REQUESTS = 4096;
  static final int MAX_KEY_BYTES = 64 * 1024;

  /** In place of the time when a request asked: it has been told that there is no decision. */
  private static final long TOLD = -1;

  /** The same, and it passed. */
  private static final long PASSED = -2;

  /** The same, and another flight has it. */
  private static final long MOVED = -3;

  private static final int BUCKETS = 2 * MAX_KEYS;
  private static final byte[] DIGEST = ascii(LuaScript.CHECK.sha1());
  private static final byte[] SOURCE = LuaScript.CHECK.source();
  private static final byte[] EVALSHA = ascii("$7\r\nEVALSHA\r\n$40\r\n" + ascii(DIGEST) + "\r\n");
  private static final byte[] EVAL = ascii("$4\r\nEVAL\r\n$" + SOURCE.length + "\r\n");
  private static final CommandArgs<byte[], byte[]> NO_ARGS =
      new CommandArgs<>(ByteArrayCodec.INSTANCE);

  private final CheckCall call = new CheckCall(MAX_KEYS);
  private final CheckReply reply = new CheckReply();
  private final StoreDecision decision = new StoreDecision();
  private final Output output = new Output();

  private final StoreKeys keys = new StoreKeys(MAX_KEYS, 1024);

  /** Of each check, which of the keys is its first; it has one for each of its limits. */
  private final int[] firstKeys = new int[MAX_KEYS];

  private final ScriptLimit[][] limits = new ScriptLimit[MAX_KEYS][];
  private final long[] costs = new long[MAX_KEYS];
  private final long[] granted = new long[MAX_KEYS];

  /** Of what was granted, what came too late for its requests. */
  private final long[] unused = new long[MAX_KEYS];

  /** Null until there is one for the first time: few batches ever have any. */
  private Refunds refunds;

  /** Of each check, how many requests it is for. */
  private final long[] asked = new long[MAX_KEYS];

  /** Of each debt, the requests that had passed before it was sent, and when; else 0. */
  private final long[] debts = new long[MAX_KEYS];

  private final long[] passedNs = new long[MAX_KEYS];

  /** When the first of its requests passed without a decision; 0 if none did. */
  private long firstPassedNs;

  /** By the hash of a key: one more than the check's index, in probing order. */
  private final short[] buckets = new short[BUCKETS];

  private long[] tickets = new long[16];
  private long[] askedNs = new long[16];
  private short[] checkOf = new short[16];
  private int requestCount;
  private int openFrom;

  private long unixUs;
  private Lane lane;
  private StoreLink link;
  private boolean encoded;
  private boolean done;
  private End end;
  private boolean withSource;
  private boolean expired;
  private int hops;
  private boolean isAsking;
  private long sentNs;

  /** Neighbours among the flights that somebody waits for; see {@link LoopStore}. */
  Flight previous;

  Flight next;

  /** The next among those that have come to their end; see {@link EndedCalls}. */
  Flight nextEnded;

  /** How a call has come to its end. */
  private enum End {
    ANSWERED,
    LOST,
    /** It has not been written. */
    UNSENT
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private static String ascii(byte[] bytes) {
    return new String(bytes, StandardCharsets.US_ASCII);
  }

  // ---- filling

  /**
   * @param unixUs the time of this process, by which windows of a calendar are sent.
   */
  Flight begin(Lane owner, long unixUs) {
    lane = owner;
    this.unixUs = unixUs;
    call.clear(unixUs);
    return this;
  }

  /** Forgets everything but the memory. */
  void clear() {
    clearChecks();
    if (refunds != null) {
      refunds.begin(0);
    }
    lane = null;
    link = null;
    withSource = false;
    hops = 0;
    isAsking = false;
  }

  private void clearChecks() {
    call.clear(unixUs);
    Arrays.fill(buckets, (short) 0);
    Arrays.fill(limits, null);
    keys.clear();
    requestCount = 0;
    openFrom = 0;
    firstPassedNs = 0;
    expired = false;
  }

  /**
   * Leaves nothing but the refunds, once nobody waits any more for what was not executed.
   *
   * @param owed takes what has passed.
   */
  void dropChecks(Debts owed) {
    assert firstAskedNs() == Long.MAX_VALUE : "a request still waits";
    rememberUnexecuted(owed);
    clearChecks();
  }

  boolean hasRoom(int keyCount, int byteCount) {
    int refundKeys = refunds == null ? 0 : refunds.keys().count();
    int refundBytes = refunds == null ? 0 : refunds.keys().end();
    return keys.count() + refundKeys + keyCount <= MAX_KEYS
        && requestCount < MAX_REQUESTS
        && keys.end() + refundBytes + byteCount <= MAX_KEY_BYTES;
  }

  /**
   * Adds one request.
   *
   * @param from its keys are copied, from the first on as many as there are limits.
   * @param coalesces whether it may share a check with others of those keys, limits and cost.
   */
  void add(
      long ticket,
      StoreKeys from,
      int first,
      ScriptLimit[] of,
      long cost,
      boolean coalesces,
      long nowNs) {
    long hash = from.hash(first);
    int bucket = (int) (hash ^ hash >>> 32) & BUCKETS - 1;
    int check = -1;
    while (buckets[bucket] != 0) {
      int candidate = buckets[bucket] - 1;
      if (coalesces
          && limits[candidate] == of
          && costs[candidate] == cost
          && keys.holds(firstKeys[candidate], from, first, of.length)) {
        check = candidate;
        call.more(check, 1);
        asked[check]++;
        break;
      }
      bucket = bucket + 1 & BUCKETS - 1;
    }
    if (check < 0) {
      check = begin(call.check(1, cost, of[0]), from, first, of, cost);
      asked[check] = 1;
      buckets[bucket] = (short) (check + 1);
    }
    addRequest(ticket, check, nowNs);
  }

  /**
   * Charges requests that have passed already, as far as they still count.
   *
   * @param atNs when they passed, on the event loop's clock.
   */
  void owe(StoreKeys from, int first, ScriptLimit[] of, long requests, long cost, long atNs) {
    int check = call.debt(requests, cost, lane.passedAtUs(atNs), of[0]);
    begin(check, from, first, of, cost);
    debts[check] = requests;
    passedNs[check] = atNs;
  }

  /**
   * Gives back what a check of those keys and limits granted to some requests.
   *
   * @param chargedAtUs {@link StoreDecision#decidedAtUs()} of that check.
   */
  void refund(
      StoreKeys from, int first, ScriptLimit[] of, long requests, long cost, long chargedAtUs) {
    if (refunds == null) {
      refunds = new Refunds();
    }
    if (refunds.count() == 0) {
      refunds.begin(unixUs);
    }
    refunds.add(from, first, of, requests, cost, chargedAtUs);
  }

  private int begin(int check, StoreKeys from, int first, ScriptLimit[] of, long cost) {
    firstKeys[check] = keys.count();
    for (int i = 0; i < of.length; i++) {
      if (i > 0) {
        call.also(of[i]);
      }
      keys.copy(from, first + i);
    }
    limits[check] = of;
    costs[check] = cost;
    asked[check] = 0;
    debts[check] = 0;
    return check;
  }

  private void addRequest(long ticket, int check, long nowNs) {
    if (requestCount == tickets.length) {
      int length = 2 * requestCount;
      tickets = Arrays.copyOf(tickets, length);
      askedNs = Arrays.copyOf(askedNs, length);
      checkOf = Arrays.copyOf(checkOf, length);
    }
    tickets[requestCount] = ticket;
    askedNs[requestCount] = nowNs;
    checkOf[requestCount++] = (short) check;
  }

  /** Checks and refunds. */
  int entryCount() {
    return call.checkCount() + refundCount();
  }

  int checkCount() {
    return call.checkCount();
  }

  /** Charges that it gives back, for which nobody waits. */
  int refundCount() {
    return refunds == null ? 0 : refunds.count();
  }

  int requestCount() {
    return requestCount;
  }

  /** Of its first key. */
  int partition() {
    return Partitions.of((refundCount() > 0 ? refunds.keys() : keys).hash(0));
  }

  Lane lane() {
    return lane;
  }

  // ---- waiting

  /** When the first request that still waits asked; {@link Long#MAX_VALUE} if none does. */
  long firstAskedNs() {
    return openFrom < requestCount ? askedNs[openFrom] : Long.MAX_VALUE;
  }

  /** Whether a request was told that there is no decision, since it was sent if it was. */
  boolean isExpired() {
    return expired;
  }

  /** Tells the requests that asked at that time or before that there is no decision. */
  void expire(long latestNs, StoreFault fault) {
    while (openFrom < requestCount && askedNs[openFrom] <= latestNs) {
      int at = openFrom++;
      if (askedNs[at] == MOVED) {
        continue;
      }
      expired = true;
      boolean passed = lane.tellUnavailable(tickets[at], fault);
      if (passed && firstPassedNs == 0) {
        firstPassedNs = lane.nowNs();
      }
      askedNs[at] = passed ? PASSED : TOLD;
    }
  }

  /** Hands over one of the refunds; there is one. */
  void moveRefundTo(Flight part) {
    refunds.moveFirstTo(part);
  }

  /** Hands over the requests that wait for one check, and what it has to charge. */
  void moveTo(Flight part, int check) {
    int first = firstKeys[check];
    ScriptLimit[] of = limits[check];
    for (int at = openFrom; at < requestCount; at++) {
      if (checkOf[at] == check) {
        part.add(tickets[at], keys, first, of, costs[check], true, askedNs[at]);
        askedNs[at] = MOVED;
      }
    }
    if (debts[check] > 0) {
      part.owe(keys, first, of, debts[check], costs[check], passedNs[check]);
      debts[check] = 0;
    }
  }

  // ---- sending

  /** Is about to be written to {@code to}. */
  void prepare(StoreLink to, long nowNs) {
    link = to;
    encoded = false;
    done = false;
    expired = false; // who was told before tells nothing of the server that it goes to
    sentNs = nowNs;
    output.clear();
  }

  StoreLink link() {
    return link;
  }

  long sentNs() {
    return sentNs;
  }

  /** Whether any byte of it may have reached the server. */
  boolean isEncoded() {
    return encoded;
  }

  /** The server's time of its decisions; after {@link #deliver}. */
  long decidedAtUs() {
    return reply.nowUs();
  }

  /** The message of the server's error reply; null if it made none. */
  String error() {
    return output.getError();
  }

  /** From now on the script's source goes along. */
  boolean trySource() {
    boolean first = !withSource;
    withSource = true;
    return first;
  }

  /**
   * Is redirected.
   *
   * @param asking whether this once only, to where the slot will be.
   * @return how often that has happened.
   */
  int redirect(boolean asking) {
    isAsking = asking;
    return ++hops;
  }

  boolean isAsking() {
    return isAsking;
  }

  /** Whether all that waited have been told that there is no decision. */
  boolean isAbandoned() {
    return requestCount > 0 && openFrom == requestCount;
  }

  @Override
  public void encode(ByteBuf out) {
    encoded = true;
    boolean givesBack = refundCount() > 0;
    int keyCount = keys.count() + (givesBack ? refunds.keys().count() : 0);
    Resp.array(out, 4 + keyCount);
    if (withSource) {
      out.writeBytes(EVAL).writeBytes(SOURCE).writeBytes(Resp.CRLF);
    } else {
      out.writeBytes(EVALSHA);
    }
    Resp.bulkNumber(out, keyCount);
    if (givesBack) {
      refunds.writeKeys(out);
    }
    for (int key = 0; key < keys.count(); key++) {
      Resp.bulk(out, keys.bytes(), keys.start(key), keys.length(key));
    }
    Resp.bulkHead(out, call.length() + (givesBack ? refunds.byteCount() : 0));
    if (givesBack) {
      refunds.writeTo(out);
    }
    out.writeBytes(call.array(), 0, call.length()).writeBytes(Resp.CRLF);
  }

  // ---- answering

  /** Hands every request its decision. Returns false if the answer is none. */
  boolean deliver(Debts owed) {
    if (!output.has() || output.bytes().remaining() != CheckReply.length(entryCount())) {
      return false;
    }
    reply.wrap(output.bytes(), entryCount());
    int before = refundCount();
    if (before > 0 && !refunds.arePlausible(reply)) {
      return false;
    }
    for (int check = 0; check < call.checkCount(); check++) {
      if (!isPlausible(check, before + check)) {
        return false;
      }
    }
    for (int check = 0; check < call.checkCount(); check++) {
      granted[check] = reply.granted(before + check);
      unused[check] = 0;
    }
    countUnasked();
    for (int at = 0; at < requestCount; at++) {
      int check = checkOf[at];
      boolean foreign = reply.status(before + check) == CheckReply.FOREIGN;
      boolean allowed = granted[check] > 0;
      granted[check]--;
      if (askedNs[at] == PASSED && !allowed && !foreign) {
        remember(owed, check, 1, firstPassedNs);
      } else if (askedNs[at] == TOLD && allowed && !isQueue(check)) {
        unused[check]++;
      } else if (at >= openFrom && foreign) {
        lane.tellUnavailable(tickets[at], StoreFault.MALFORMED_REPLY);
      } else if (at >= openFrom) {
        long left = reply.remaining(before + check) + Math.max(granted[check], 0) * costs[check];
        decision.set(reply, before + check, allowed, left, sentNs);
        decision.about(keys, firstKeys[check]);
        lane.tellDecided(tickets[at], decision);
      }
    }
    for (int check = 0; check < call.checkCount(); check++) {
      if (unused[check] > 0) {
        long atUs = reply.nowUs();
        lane.refund(keys, firstKeys[check], limits[check], unused[check], costs[check], atUs);
      }
    }
    return true;
  }

  /** A queue takes nothing back: those behind have been told their slots. */
  private boolean isQueue(int check) {
    return limits[check][0].outflowUs(1) > 0;
  }

  /** Bytes of the right number may be anything: what would let requests pass must make sense. */
  private boolean isPlausible(int check, int entry) {
    int status = reply.status(entry);
    long of = reply.granted(entry);
    if (debts[check] > 0) {
      return of == 0 && status >= CheckReply.DONE && status <= CheckReply.FOREIGN;
    }
    if (reply.limitIndex(entry) >= limits[check].length) {
      return false;
    }
    return status == CheckReply.GRANTED && of > 0 && of <= asked[check]
        || (status == CheckReply.REFUSED || status == CheckReply.FOREIGN) && of == 0;
  }

  /**
   * Tells every request that still waits that there is no decision.
   *
   * @param executed whether the server may have charged them.
   */
  void fail(StoreFault fault, boolean executed, Debts owed) {
    expire(Long.MAX_VALUE - 1, fault);
    if (executed) {
      countUnasked();
    } else {
      rememberUnexecuted(owed);
      countRefunds(false);
    }
  }

  /** What has passed and has not been charged. */
  private void rememberUnexecuted(Debts owed) {
    for (int at = 0; at < requestCount; at++) {
      if (askedNs[at] == PASSED) {
        remember(owed, checkOf[at], 1, firstPassedNs);
      }
    }
    for (int check = 0; check < call.checkCount(); check++) {
      if (debts[check] > 0) {
        remember(owed, check, debts[check], passedNs[check]);
      }
    }
  }

  /** What the server may have done for nobody who waits. */
  private void countUnasked() {
    for (int check = 0; check < call.checkCount(); check++) {
      if (debts[check] > 0) {
        lane.debtsCharged(debts[check]);
      }
    }
    countRefunds(true);
  }

  private void countRefunds(boolean sent) {
    if (refundCount() > 0) {
      lane.refunded(refunds.requestCount(), sent);
      if (sent) {
        lane.tellGivenBack(refunds);
      }
    }
  }

  private void remember(Debts owed, int check, long requests, long atNs) {
    owed.add(keys, firstKeys[check], limits[check], requests, costs[check], atNs, lane.nowNs());
  }

  // ---- what Lettuce asks

  @Override
  public CommandOutput<byte[], byte[], byte[]> getOutput() {
    return output;
  }

  @Override
  public void setOutput(CommandOutput<byte[], byte[], byte[]> other) {
    throw new IllegalStateException("a flight has an output of its own");
  }

  @Override
  public void complete() {
    end(End.ANSWERED);
  }

  @Override
  public boolean completeExceptionally(Throwable cause) {
    return end(End.LOST);
  }

  /** It cannot be written to where it was to go, or need not be any more. */
  void unsent() {
    end(End.UNSENT);
  }

  private boolean end(End how) {
    if (done) {
      return false;
    }
    done = true;
    end = how;
    lane.ended(this);
    return true;
  }

  /** Tells its lane how it has ended. */
  void tell() {
    switch (end) {
      case ANSWERED -> lane.answered(this);
      case LOST -> lane.lost(this);
      case UNSENT -> lane.unsent(this);
    }
  }

  @Override
  public void cancel() {
    completeExceptionally(null);
  }

  @Override
  public CommandArgs<byte[], byte[]> getArgs() {
    return NO_ARGS;
  }

  @Override
  public ProtocolKeyword getType() {
    return withSource ? CommandType.EVAL : CommandType.EVALSHA;
  }

  @Override
  public boolean isCancelled() {
    return false;
  }

  @Override
  public boolean isDone() {
    return done;
  }

  @Override
  public String toString() {
    return call.checkCount() + " checks for " + requestCount + " requests";
  }

  /** Keeps the one string of the answer, or its error. */
  private static final class Output extends CommandOutput<byte[], byte[], byte[]> {
    private ByteBuffer bytes = ByteBuffer.allocate(1024);
    private boolean has;

    Output() {
      super(ByteArrayCodec.INSTANCE, null);
    }

    void clear() {
      error = null;
      has = false;
    }

    boolean has() {
      return has;
    }

    ByteBuffer bytes() {
      return bytes;
    }

    @Override
    public void set(ByteBuffer answer) {
      if (answer == null) {
        return;
      }
      if (answer.remaining() > bytes.capacity()) {
        bytes = ByteBuffer.allocate(answer.remaining());
      }
      bytes.clear();
      bytes.put(answer).flip();
      has = true;
    }
  }
}
