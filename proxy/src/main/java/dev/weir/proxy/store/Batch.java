package dev.weir.proxy.store;

import dev.weir.proxy.request.StoreFault;
import dev.weir.proxy.store.StoreQuestion.Operation;
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
 * <p>A batch is filled, sent, answered or lost, and used again. Its memory grows to what was needed
 * once, and stays. Used by one event loop.
 */
final class Batch implements RedisCommand<byte[], byte[], byte[]> {
  /** As many checks at most, as each has one key or more. */
  static final int MAX_KEYS = 256;

  static final int MAX_REQUESTS = 4096;
  static final int MAX_KEY_BYTES = 64 * 1024;

  /** A request's state: it has not been told anything. */
  private static final byte WAITS = 0;

  /** A request's state: it has been told that there is no decision, and does not pass. */
  private static final byte UNDECIDED = 1;

  /** A request's state: it has been told that there is no decision, and passes all the same. */
  private static final byte PASSED = 2;

  /** A request's state: another batch has it. */
  private static final byte MOVED = 3;

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

  /** What it asks on behalf of others: what is moved, owed, or goes back. */
  private final StoreQuestion again = new StoreQuestion();

  private final Output output = new Output();

  private final StoreKeys keys = new StoreKeys(MAX_KEYS, 1024);

  private final Operation[] operations = new Operation[MAX_KEYS];

  /** Of each check, which of the keys is its first. */
  private final int[] firstKeys = new int[MAX_KEYS];

  private final int[] keyCounts = new int[MAX_KEYS];
  private final boolean[] isOnce = new boolean[MAX_KEYS];

  private final ScriptLimit[][] limits = new ScriptLimit[MAX_KEYS][];

  /** Of each key, what a request takes of its limit. */
  private final long[] costs = new long[MAX_KEYS];

  private final long[] granted = new long[MAX_KEYS];

  /** Of what was granted, what came too late for its requests. */
  private final long[] unused = new long[MAX_KEYS];

  /** Null until there is one for the first time: few batches ever have any. */
  private Refunds refunds;

  /** Of each check, how many requests it is for. */
  private final long[] asked = new long[MAX_KEYS];

  /** Of each debt, when its requests passed. */
  private final long[] passedNs = new long[MAX_KEYS];

  /** When the first of its requests passed without a decision; 0 if none did. */
  private long firstPassedNs;

  /** By the hash of a key: one more than the check's index, in probing order. */
  private final short[] buckets = new short[BUCKETS];

  private StoreTaker[] takers = new StoreTaker[16];
  private long[] tickets = new long[16];
  private byte[] states = new byte[16];
  private long[] wanted = new long[16];
  private long[] askedNs = new long[16];
  private long[] dueNs = new long[16];
  private short[] checkOf = new short[16];
  private int requestCount;

  /** Those before it do not wait. */
  private int openFrom;

  /** When the first of those that wait is due; {@link Long#MAX_VALUE} if none does. */
  private long firstDueNs = Long.MAX_VALUE;

  /** Whether nobody is due before one that came earlier. */
  private boolean isInOrder = true;

  private long unixUs;
  private Shard shard;
  private StoreLink link;
  private boolean encoded;
  private boolean done;
  private End end;
  private boolean withSource;
  private boolean expired;
  private int hops;
  private boolean isAsking;
  private long sentNs;

  /** Neighbours among the batches that somebody waits for; see {@link LoopStore}. */
  Batch previous;

  Batch next;

  /** The next among those that have come to their end; see {@link EndedCalls}. */
  Batch nextEnded;

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
  Batch begin(Shard owner, long unixUs) {
    shard = owner;
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
    shard = null;
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
    firstDueNs = Long.MAX_VALUE;
    isInOrder = true;
    firstPassedNs = 0;
    expired = false;
  }

  /**
   * Leaves nothing but the refunds, once nobody waits any more for what was not executed.
   *
   * @param owed takes what has passed.
   */
  void dropChecks(Debts owed) {
    assert firstDueNs == Long.MAX_VALUE : "a request still waits";
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
   * Adds a question, to be told its answer.
   *
   * @param due when it is told that there is none.
   */
  void add(StoreQuestion question, long nowNs, long due) {
    int check =
        switch (question.operation) {
          case CHECK -> question.coalesces ? shared(question) : begun(question);
          case PEEK, RESET -> begun(question);
          case REFUND, DEBT -> throw new IllegalArgumentException(question.operation + " is told");
        };
    addRequest(question, check, nowNs, due);
  }

  /** A check for a question and all others that ask the same. */
  private int shared(StoreQuestion question) {
    long hash = question.keys.hash(question.first);
    int bucket = (int) (hash ^ hash >>> 32) & BUCKETS - 1;
    while (buckets[bucket] != 0) {
      int candidate = buckets[bucket] - 1;
      if (isSame(candidate, question)) {
        call.more(candidate, question.requests);
        asked[candidate] += question.requests;
        return candidate;
      }
      bucket = bucket + 1 & BUCKETS - 1;
    }
    int check = begun(question);
    buckets[bucket] = (short) (check + 1);
    return check;
  }

  private boolean isSame(int check, StoreQuestion question) {
    int firstKey = firstKeys[check];
    int count = question.keyCount;
    return limits[check] == question.limits
        && (count == 1
            ? costs[firstKey] == question.costs[0]
            : Arrays.equals(costs, firstKey, firstKey + count, question.costs, 0, count))
        && keys.holds(firstKey, question.keys, question.first, count);
  }

  /** A check for a question alone. */
  private int begun(StoreQuestion question) {
    long requests = question.requests;
    long cost = question.costs[0];
    return begin(
        switch (question.operation) {
          case CHECK ->
              question.isOnce
                  ? call.checkOnce(cost, question.limits[0])
                  : call.check(requests, cost, question.limits[0]);
          case PEEK -> call.peek(requests, cost, question.limits[0]);
          case RESET -> call.reset(question.keyCount);
          case REFUND, DEBT -> throw new IllegalArgumentException(question.operation + " is told");
        },
        question);
  }

  /**
   * Charges requests that have passed already, as far as they still count.
   *
   * @param atNs when they passed, on the event loop's clock.
   */
  void owe(StoreQuestion debt, long atNs) {
    long atUs = shard.passedAtUs(atNs);
    int check = begin(call.debt(debt.requests, debt.costs[0], atUs, debt.limits[0]), debt);
    passedNs[check] = atNs;
  }

  /** Gives back what an earlier check granted to some requests. */
  void refund(StoreQuestion refund) {
    if (refunds == null) {
      refunds = new Refunds();
    }
    if (refunds.count() == 0) {
      refunds.begin(unixUs);
    }
    refunds.add(refund);
  }

  private int begin(int check, StoreQuestion question) {
    ScriptLimit[] of = question.limits;
    int firstKey = keys.count();
    for (int i = 0; i < of.length; i++) {
      if (i > 0) {
        call.also(of[i], question.costs[i]);
      }
      costs[firstKey + i] = question.costs[i];
    }
    for (int i = 0; i < question.keyCount; i++) {
      keys.copy(question.keys, question.first + i);
    }
    operations[check] = question.operation;
    firstKeys[check] = firstKey;
    keyCounts[check] = question.keyCount;
    isOnce[check] = question.isOnce;
    limits[check] = of;
    asked[check] = question.requests;
    return check;
  }

  private void addRequest(StoreQuestion question, int check, long nowNs, long due) {
    if (requestCount == tickets.length) {
      int length = 2 * requestCount;
      takers = Arrays.copyOf(takers, length);
      tickets = Arrays.copyOf(tickets, length);
      states = Arrays.copyOf(states, length);
      wanted = Arrays.copyOf(wanted, length);
      askedNs = Arrays.copyOf(askedNs, length);
      dueNs = Arrays.copyOf(dueNs, length);
      checkOf = Arrays.copyOf(checkOf, length);
    }
    int at = requestCount++;
    takers[at] = question.taker;
    tickets[at] = question.ticket;
    states[at] = WAITS;
    wanted[at] = question.requests;
    askedNs[at] = nowNs;
    dueNs[at] = due;
    checkOf[at] = (short) check;
    isInOrder &= at == 0 || dueNs[at - 1] <= due;
    firstDueNs = Math.min(firstDueNs, due);
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

  Shard shard() {
    return shard;
  }

  // ---- waiting

  /** When the first request that still waits asked; {@link Long#MAX_VALUE} if none does. */
  long firstAskedNs() {
    return openFrom < requestCount ? askedNs[openFrom] : Long.MAX_VALUE;
  }

  /** When the first request that waits is due; {@link Long#MAX_VALUE} if none waits. */
  long firstDueNs() {
    return firstDueNs;
  }

  /** Whether a request was told that there is no decision, since it was sent if it was. */
  boolean isExpired() {
    return expired;
  }

  /** Tells the requests that are due that there is no decision. */
  void expire(long nowNs, StoreFault fault) {
    long nextNs = Long.MAX_VALUE;
    for (int at = openFrom; at < requestCount; at++) {
      if (states[at] == WAITS && dueNs[at] <= nowNs) {
        tellUndecided(at, fault);
      } else if (states[at] == WAITS) {
        nextNs = Math.min(nextNs, dueNs[at]);
        if (isInOrder) {
          break;
        }
      }
    }
    firstDueNs = nextNs;
    skipTold();
  }

  private void tellUndecided(int at, StoreFault fault) {
    expired = true;
    states[at] = UNDECIDED;
    boolean passes = shard.tellUnavailable(takers[at], tickets[at], fault);
    if (passes && operations[checkOf[at]] == Operation.CHECK) {
      states[at] = PASSED;
      if (firstPassedNs == 0) {
        firstPassedNs = shard.nowNs();
      }
    }
  }

  private void skipTold() {
    while (openFrom < requestCount && states[openFrom] != WAITS) {
      openFrom++;
    }
  }

  /** Hands over one of the refunds; there is one. */
  void moveRefundTo(Batch part) {
    refunds.moveFirstTo(part);
  }

  /** Hands over the requests that wait for one check, or what it has to charge. */
  void moveTo(Batch part, int check) {
    if (operations[check] == Operation.DEBT) {
      part.owe(debt(check, asked[check]), passedNs[check]);
      asked[check] = 0;
      return;
    }
    for (int at = openFrom; at < requestCount; at++) {
      if (checkOf[at] == check && states[at] == WAITS) {
        part.add(question(check, at), askedNs[at], dueNs[at]);
        states[at] = MOVED;
      }
    }
    skipTold();
    firstDueNs = openFrom < requestCount ? dueNs[openFrom] : Long.MAX_VALUE;
  }

  /** The question of one request again. */
  private StoreQuestion question(int check, int at) {
    StoreTaker taker = takers[at];
    switch (operations[check]) {
      case CHECK -> again.check(taker, tickets[at]);
      case PEEK -> again.peek(taker, tickets[at]);
      case RESET -> again.reset(taker, tickets[at]);
      case REFUND, DEBT -> throw new IllegalStateException(operations[check] + " is told");
    }
    about(check).upTo(wanted[at]);
    again.isOnce = isOnce[check];
    again.coalesces &= !again.isOnce;
    return again;
  }

  private StoreQuestion debt(int check, long requests) {
    again.debt();
    return about(check).upTo(requests);
  }

  private StoreQuestion about(int check) {
    again.of(keys, firstKeys[check], limits[check]);
    again.keyCount = keyCounts[check];
    System.arraycopy(costs, firstKeys[check], again.costs, 0, limits[check].length);
    return again;
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
      long grant = Math.min(granted[check], wanted[at]);
      granted[check] -= grant;
      if (states[at] == PASSED && grant < wanted[at] && !foreign) {
        remember(owed, check, wanted[at] - grant, firstPassedNs);
      } else if (states[at] == UNDECIDED && grant > 0 && isGivenBack(check)) {
        unused[check] += grant;
      } else if (states[at] == WAITS && foreign) {
        shard.tellUnavailable(takers[at], tickets[at], StoreFault.MALFORMED_REPLY);
      } else if (states[at] == WAITS) {
        decision.about(keys, firstKeys[check]);
        boolean all = grant == wanted[at];
        decision.set(reply, before + check, grant, all, left(check, before + check), sentNs);
        shard.tellDecided(takers[at], tickets[at], decision);
      }
    }
    for (int check = 0; check < call.checkCount(); check++) {
      if (unused[check] > 0) {
        again.refund(reply.nowUs());
        shard.refund(about(check).upTo(unused[check]));
      }
    }
    return true;
  }

  /** What is left for those that have not got their part of a grant yet, and for all others. */
  private long left(int check, int entry) {
    long left = reply.remaining(entry);
    return granted[check] == 0
        ? left
        : left + granted[check] * costs[firstKeys[check] + reply.limitIndex(entry)];
  }

  /**
   * Whether a grant that came too late goes back. A queue takes nothing back: those behind have
   * been told their slots. A check once is not charged again when its request comes again.
   */
  private boolean isGivenBack(int check) {
    return operations[check] == Operation.CHECK
        && !isOnce[check]
        && limits[check][0].outflowUs(1) == 0;
  }

  /** Bytes of the right number may be anything: what would let requests pass must make sense. */
  private boolean isPlausible(int check, int entry) {
    int status = reply.status(entry);
    long of = reply.granted(entry);
    if (operations[check] == Operation.DEBT || operations[check] == Operation.RESET) {
      return of == 0 && status >= CheckReply.DONE && status <= CheckReply.FOREIGN;
    }
    int indexes = status == CheckReply.FOREIGN ? keyCounts[check] : limits[check].length;
    if (reply.limitIndex(entry) >= indexes) {
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
    expire(Long.MAX_VALUE, fault);
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
      if (states[at] == PASSED) {
        remember(owed, checkOf[at], wanted[at], firstPassedNs);
      }
    }
    for (int check = 0; check < call.checkCount(); check++) {
      if (owes(check)) {
        remember(owed, check, asked[check], passedNs[check]);
      }
    }
  }

  /** What the server may have done for nobody who waits. */
  private void countUnasked() {
    for (int check = 0; check < call.checkCount(); check++) {
      if (owes(check)) {
        shard.debtsCharged(asked[check]);
      }
    }
    countRefunds(true);
  }

  private void countRefunds(boolean sent) {
    if (refundCount() > 0) {
      shard.refunded(refunds.requestCount(), sent);
      if (sent) {
        shard.tellGivenBack(refunds);
      }
    }
  }

  /** Whether it charges what had passed before it was sent. */
  private boolean owes(int check) {
    return operations[check] == Operation.DEBT && asked[check] > 0;
  }

  private void remember(Debts owed, int check, long requests, long atNs) {
    owed.add(debt(check, requests), atNs, shard.nowNs());
  }

  // ---- what Lettuce asks

  @Override
  public CommandOutput<byte[], byte[], byte[]> getOutput() {
    return output;
  }

  @Override
  public void setOutput(CommandOutput<byte[], byte[], byte[]> other) {
    throw new IllegalStateException("a batch has an output of its own");
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
    shard.ended(this);
    return true;
  }

  /** Tells its shard how it has ended. */
  void tell() {
    switch (end) {
      case ANSWERED -> shard.answered(this);
      case LOST -> shard.lost(this);
      case UNSENT -> shard.unsent(this);
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
