package dev.weir.proxy.redis;

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
 *
 * <p>A flight is filled, sent, answered or lost, and used again. Its memory grows to what was
 * needed once, and stays. Used by one event loop.
 */
final class Flight implements RedisCommand<byte[], byte[], byte[]> {
  /** As many checks at most, as each has one key or more. */
  static final int MAX_KEYS = 256;

  static final int MAX_REQUESTS = 4096;
  static final int MAX_KEY_BYTES = 64 * 1024;

  /** In place of a ticket: what is charged belongs to requests that have passed already. */
  static final long DEBT = -1;

  /** In place of the time when a request asked: it has been told that there is no decision. */
  private static final long TOLD = -1;

  /** The same, and it passed. */
  private static final long PASSED = -2;

  /** The same, and another flight has it. */
  private static final long MOVED = -3;

  private static final int BUCKETS = 2 * MAX_KEYS;
  private static final byte[] CRLF = {'\r', '\n'};
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

  /** Whether a check gives back what an earlier one was granted. */
  private final boolean[] refunds = new boolean[MAX_KEYS];

  private boolean hasRefunds;

  /** Of each check, how many requests it is for. */
  private final long[] asked = new long[MAX_KEYS];

  /** Of each check, the requests that had passed before it was sent. */
  private final long[] debts = new long[MAX_KEYS];

  /** By the hash of a key: one more than the check's index, in probing order. */
  private final short[] buckets = new short[BUCKETS];

  private long[] tickets = new long[16];
  private long[] askedNs = new long[16];
  private short[] checkOf = new short[16];
  private int requestCount;
  private int openFrom;

  private Lane lane;
  private StoreLink link;
  private boolean encoded;
  private boolean done;
  private boolean withSource;
  private boolean expired;
  private int hops;
  private boolean isAsking;
  private long sentNs;

  /** Neighbours among the flights that somebody waits for; see {@link LoopStore}. */
  Flight previous;

  Flight next;

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
    call.clear(unixUs);
    return this;
  }

  /** Forgets everything but the memory. */
  void clear() {
    call.clear();
    Arrays.fill(buckets, (short) 0);
    Arrays.fill(limits, null);
    keys.clear();
    hasRefunds = false;
    requestCount = 0;
    openFrom = 0;
    lane = null;
    link = null;
    withSource = false;
    expired = false;
    hops = 0;
    isAsking = false;
  }

  boolean hasRoom(int keyCount, int byteCount) {
    return keys.count() + keyCount <= MAX_KEYS
        && requestCount < MAX_REQUESTS
        && keys.end() + byteCount <= MAX_KEY_BYTES;
  }

  /**
   * Adds one request, or the debt of several.
   *
   * @param ticket or {@link #DEBT}.
   * @param from its keys are copied, from the first on as many as there are limits.
   * @param coalesces whether it may share a check with others of those keys, limits and cost.
   */
  void add(
      long ticket,
      StoreKeys from,
      int first,
      ScriptLimit[] of,
      long requests,
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
        call.more(check, requests);
        asked[check] += requests;
        break;
      }
      bucket = bucket + 1 & BUCKETS - 1;
    }
    if (check < 0) {
      check = begin(call.check(requests, cost, of[0]), from, first, of, cost);
      asked[check] = requests;
      buckets[bucket] = (short) (check + 1);
    }
    if (ticket == DEBT) {
      debts[check] += requests;
    } else {
      addRequest(ticket, check, nowNs);
    }
  }

  /**
   * Gives back what a check of those keys and limits granted to one request.
   *
   * @param chargedAtUs {@link StoreDecision#decidedAtUs()} of that check.
   */
  void refund(StoreKeys from, int first, ScriptLimit[] of, long cost, long chargedAtUs) {
    int check = begin(call.refund(cost, chargedAtUs, of[0]), from, first, of, cost);
    refunds[check] = true;
    hasRefunds = true;
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
    refunds[check] = false;
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

  int checkCount() {
    return call.checkCount();
  }

  int requestCount() {
    return requestCount;
  }

  /** Of its first key. */
  int partition() {
    return Partitions.of(keys.hash(0));
  }

  /** Whether it gives back anything, for which nobody waits. */
  boolean hasRefunds() {
    return hasRefunds;
  }

  Lane lane() {
    return lane;
  }

  // ---- waiting

  /** When the first request that still waits asked; {@link Long#MAX_VALUE} if none does. */
  long firstAskedNs() {
    return openFrom < requestCount ? askedNs[openFrom] : Long.MAX_VALUE;
  }

  /** Whether a request was told that there is no decision. */
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
      askedNs[at] = passed ? PASSED : TOLD;
    }
  }

  /** Hands over the requests that wait for one check, and what it has to charge. */
  void moveTo(Flight part, int check) {
    int first = firstKeys[check];
    ScriptLimit[] of = limits[check];
    for (int at = openFrom; at < requestCount; at++) {
      if (checkOf[at] == check) {
        part.add(tickets[at], keys, first, of, 1, costs[check], true, askedNs[at]);
        askedNs[at] = MOVED;
      }
    }
    if (debts[check] > 0) {
      part.add(DEBT, keys, first, of, debts[check], costs[check], true, 0);
      debts[check] = 0;
    }
  }

  // ---- sending

  /** Is about to be written to {@code to}. */
  void prepare(StoreLink to, long nowNs) {
    link = to;
    encoded = false;
    done = false;
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
    out.writeByte('*');
    number(out, 4 + call.keyCount());
    if (withSource) {
      out.writeBytes(EVAL).writeBytes(SOURCE).writeBytes(CRLF);
    } else {
      out.writeBytes(EVALSHA);
    }
    out.writeByte('$');
    number(out, digits(call.keyCount()));
    number(out, call.keyCount());
    for (int key = 0; key < keys.count(); key++) {
      bulk(out, keys.bytes(), keys.start(key), keys.length(key));
    }
    bulk(out, call.array(), 0, call.length());
  }

  private static void bulk(ByteBuf out, byte[] bytes, int offset, int length) {
    out.writeByte('$');
    number(out, length);
    out.writeBytes(bytes, offset, length).writeBytes(CRLF);
  }

  private static int digits(int value) {
    return value < 10 ? 1 : 1 + digits(value / 10);
  }

  private static void number(ByteBuf out, int value) {
    int count = digits(value);
    int at = out.writerIndex();
    out.writeZero(count);
    for (int i = at + count - 1, rest = value; i >= at; i--, rest /= 10) {
      out.setByte(i, '0' + rest % 10);
    }
    out.writeBytes(CRLF);
  }

  // ---- answering

  /** Hands every request its decision. Returns false if the answer is none. */
  boolean deliver(Debts owed) {
    if (!output.has() || output.bytes().remaining() != CheckReply.length(call.checkCount())) {
      return false;
    }
    reply.wrap(output.bytes(), call.checkCount());
    for (int check = 0; check < call.checkCount(); check++) {
      if (!isPlausible(check)) {
        return false;
      }
    }
    for (int check = 0; check < call.checkCount(); check++) {
      granted[check] = Math.max(0, reply.granted(check) - debts[check]);
    }
    countUnasked();
    for (int at = 0; at < requestCount; at++) {
      int check = checkOf[at];
      boolean foreign = reply.status(check) == CheckReply.FOREIGN;
      boolean allowed = granted[check] > 0;
      granted[check]--;
      if (askedNs[at] == PASSED && !allowed && !foreign) {
        remember(owed, check, 1);
      } else if (askedNs[at] == TOLD && allowed && !isQueue(check)) {
        lane.refund(keys, firstKeys[check], limits[check], costs[check], reply.nowUs());
      } else if (at >= openFrom && foreign) {
        lane.tellUnavailable(tickets[at], StoreFault.MALFORMED_REPLY);
      } else if (at >= openFrom) {
        long left = reply.remaining(check) + Math.max(granted[check], 0) * costs[check];
        decision.set(reply, check, allowed, left, sentNs);
        lane.tellDecided(tickets[at], decision);
      }
    }
    return true;
  }

  /** A queue takes nothing back: those behind have been told their slots. */
  private boolean isQueue(int check) {
    return limits[check][0].outflowUs(1) > 0;
  }

  /** Bytes of the right number may be anything: what would let requests pass must make sense. */
  private boolean isPlausible(int check) {
    int status = reply.status(check);
    long of = reply.granted(check);
    if (refunds[check]) {
      return of == 0 && (status >= CheckReply.DONE && status <= CheckReply.FOREIGN);
    }
    if (reply.limitIndex(check) >= limits[check].length) {
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
      for (int at = 0; at < requestCount; at++) {
        if (askedNs[at] == PASSED) {
          remember(owed, checkOf[at], 1);
        }
      }
      for (int check = 0; check < call.checkCount(); check++) {
        if (debts[check] > 0) {
          remember(owed, check, debts[check]);
        } else if (refunds[check]) {
          lane.refunded(false);
        }
      }
    }
  }

  /** What the server may have done for nobody who waits. */
  private void countUnasked() {
    for (int check = 0; check < call.checkCount(); check++) {
      if (debts[check] > 0) {
        lane.debtsCharged(debts[check]);
      } else if (refunds[check]) {
        lane.refunded(true);
      }
    }
  }

  private void remember(Debts owed, int check, long requests) {
    owed.add(keys, firstKeys[check], limits[check], requests, costs[check]);
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
    if (!done) {
      done = true;
      lane.answered(this);
    }
  }

  @Override
  public boolean completeExceptionally(Throwable cause) {
    if (done) {
      return false;
    }
    done = true;
    lane.lost(this);
    return true;
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
