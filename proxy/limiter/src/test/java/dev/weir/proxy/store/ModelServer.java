package dev.weir.proxy.store;

import dev.weir.scripts.CheckCall;
import dev.weir.scripts.CheckReply;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.protocol.RedisCommand;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/**
 * A server that executes calls when it is told to, and remembers each grant: its time is another in
 * each call, so a refund says which grant it gives back, and of a limit with marks it must say the
 * mark of that grant, too. No unit comes back by itself, whatever the algorithm; a lease keeps what
 * it is asked for, as far as a quarter of what is left goes. A holder's record stays until {@link
 * #forgetHolders}. In the place of the network stands Lettuce's connection; its bytes are those on
 * the wire.
 */
public final class ModelServer {
  private static final byte PEEK = 2;
  private static final byte RESET = 3;
  private static final byte REFUND = 4;
  private static final byte DEBT = 6;
  private static final byte LEASE = 7;
  private static final byte HOLD = 8;
  private static final int HEAD_BYTES = 18;
  private static final int LIFE_BYTES = 8;
  private static final int HOLDER = 26;
  private static final int HOLDER_BYTES = 16;
  private static final int HELD_BYTES = 17;
  private static final int LIMIT_BYTES = 41;
  private static final int MARK_BYTES = 8;
  private static final int COST = 33;

  // Of a limit that is paced: its capacity, and what is below this where its grants have marks.
  private static final byte PACED = 1;
  private static final byte FORMER = 64;
  private static final int NUMBER = 1;
  private static final int PACED_NUMBER = 17;
  private static final int QUEUE = 25;
  private static final double NO_QUEUE = -1;

  /** Marks of two calls are further apart than what a call grants. */
  private static final long MARKS_PER_CALL = 10_000;

  /** Units granted and not given back, by key and then by the time of the grant. */
  private final Map<String, NavigableMap<Long, Long>> grants = new HashMap<>();

  /** What refunds of grants may have as marks, by key and time. */
  private final Map<String, Set<Long>> marks = new HashMap<>();

  /** What holders said last, by key and holder. */
  private final Map<String, Map<Long, Held>> held = new HashMap<>();

  private final List<String> faults = new ArrayList<>();
  private final List<String> executed = new ArrayList<>();
  private final List<String> debts = new ArrayList<>();

  /** Of each hold of the call at hand: what it keeps, and what became of each limit. */
  private final List<byte[]> holds = new ArrayList<>();

  /** Of each lease of the call at hand: units that it keeps, for how long, and its marks. */
  private final List<long[]> leases = new ArrayList<>();

  /** The record of a holder under one limit. */
  private static final class Held {
    long units;
    long charged;
    double sequence;
  }

  private final ArrayDeque<RedisCommand<?, ?, ?>> pending = new ArrayDeque<>();
  private final InetSocketAddress address;
  private RedisConnectionStateListener listener;
  private CompletableFuture<StatefulRedisConnection<byte[], byte[]>> opening;
  private boolean isOpen;
  private int connections;
  private long nowUs = 1_000_000;

  /** Whether a connection is opened as soon as it is asked for. */
  public boolean opensAtOnce = true;

  /** The process that it tells to be. */
  public int process = 1;

  /** Whether the next write fails within the call, as one to a socket that was reset. */
  public boolean failsNextWrite;

  public ModelServer(int port) {
    address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
  }

  public InetSocketAddress address() {
    return address;
  }

  // ---- the network

  CompletionStage<StatefulRedisConnection<byte[], byte[]>> connect() {
    opening = new CompletableFuture<>();
    if (opensAtOnce) {
      open();
    }
    return opening;
  }

  /** Whether a connection has been asked for, and neither opened nor refused. */
  public boolean isAsked() {
    return opening != null && !opening.isDone();
  }

  /** Refuses the connection that has been asked for. */
  public void refuseConnection() {
    opening.completeExceptionally(new IOException("Connection refused"));
  }

  /** Opens the connection that has been asked for. */
  public void open() {
    connections++;
    isOpen = true;
    opening.complete(proxy(StatefulRedisConnection.class, this::connectionCall));
  }

  private Object connectionCall(Object self, Method method, Object... arguments) {
    return switch (method.getName()) {
      case "async" -> proxy(RedisAsyncCommands.class, this::commandCall);
      case "isOpen" -> isOpen;
      case "addListener" -> {
        listener = (RedisConnectionStateListener) arguments[0];
        yield null;
      }
      case "dispatch" -> {
        write((RedisCommand<?, ?, ?>) arguments[0]);
        yield arguments[0];
      }
      case "closeAsync" -> {
        lose(false);
        yield CompletableFuture.completedFuture(null);
      }
      default -> throw new UnsupportedOperationException(method.getName());
    };
  }

  private Object commandCall(Object self, Method method, Object... arguments) {
    return switch (method.getName()) {
      case "scriptLoad" -> new Done<>("digest");
      case "evalsha" -> new Done<>(new byte[CheckReply.length(2)]);
      case "info" -> new Done<>("run_id:" + process + "\r\nmaster_replid:1\r\n");
      case "asking" -> new Done<>("OK");
      default -> throw new UnsupportedOperationException(method.getName());
    };
  }

  @SuppressWarnings("unchecked")
  private static <T> T proxy(Class<?> type, java.lang.reflect.InvocationHandler handler) {
    return (T) Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler);
  }

  private void write(RedisCommand<?, ?, ?> call) {
    if (failsNextWrite) {
      failsNextWrite = false;
      call.completeExceptionally(new IOException("Connection reset by peer"));
      lose(false);
    } else if (isOpen) {
      pending.add(call);
    } else {
      call.completeExceptionally(new IOException("not connected"));
    }
  }

  /** Ends the connection; what it had been asked may have been executed all the same. */
  public void lose(boolean executes) {
    lose(executes ? pending.size() : 0);
  }

  /** Ends the connection, after the execution of so many of the calls that have no answer. */
  public void lose(int executedCount) {
    if (!isOpen) {
      return;
    }
    isOpen = false;
    for (int left = executedCount; !pending.isEmpty(); left--) {
      RedisCommand<?, ?, ?> call = pending.remove();
      ByteBuf bytes = encoded(call);
      if (left > 0) {
        execute(bytes);
      }
      call.completeExceptionally(new IOException("Connection reset by peer"));
    }
    if (listener != null) { // somebody knew of it
      listener.onRedisDisconnected(null);
    }
  }

  public boolean isOpen() {
    return isOpen;
  }

  /** Connections that were ever opened. */
  public int connections() {
    return connections;
  }

  // ---- the script

  public int pendingCount() {
    return pending.size();
  }

  /** Executes the oldest call and answers it. */
  public void answer() {
    execute();
    deliver();
  }

  /** Executes the oldest call; {@link #deliver} passes on the answer. */
  public void execute() {
    RedisCommand<?, ?, ?> call = pending.element();
    call.getOutput().set(execute(encoded(call)));
  }

  /** Passes on the answer of the oldest call, in the sidecar's own code and nothing else. */
  public void deliver() {
    pending.remove().complete();
  }

  /** Answers the oldest call with an error, and executes nothing. */
  public void refuse(String error) {
    RedisCommand<?, ?, ?> call = pending.remove();
    encoded(call);
    call.getOutput().setError(error);
    call.complete();
  }

  private static ByteBuf encoded(RedisCommand<?, ?, ?> call) {
    ByteBuf bytes = Unpooled.buffer();
    call.encode(bytes);
    return bytes;
  }

  private ByteBuffer execute(ByteBuf bytes) {
    List<byte[]> words = words(bytes);
    int keyCount = Integer.parseInt(new String(words.get(2), StandardCharsets.US_ASCII));
    List<String> keys =
        words.subList(3, 3 + keyCount).stream()
            .map(key -> new String(key, StandardCharsets.ISO_8859_1))
            .toList();
    ByteBuffer input = ByteBuffer.wrap(words.get(3 + keyCount)).order(ByteOrder.LITTLE_ENDIAN);
    ByteBuffer reply = ByteBuffer.allocate(1 << 16).order(ByteOrder.LITTLE_ENDIAN);
    reply.putDouble(++nowUs);
    leases.clear();
    holds.clear();
    int key = 0;
    while (input.hasRemaining()) {
      int at = input.position();
      int limits = input.get(at + 1);
      execute(input, at, keys.subList(key, key + limits), reply);
      key += limits + heldCount(input, at);
      input.position(headEnd(input, at) + limits * limitBytes(input.get(at)));
    }
    for (long[] lease : leases) {
      for (long number : lease) {
        reply.putDouble(number);
      }
    }
    holds.forEach(reply::put);
    if (key != keyCount) {
      faults.add(keyCount + " keys of " + key);
    }
    return reply.flip();
  }

  /** Whether a peek counts what is held of a limit. */
  private static boolean isHeldShown(ByteBuffer input, int at, int limit) {
    return input.get(at) == PEEK && ((long) input.getDouble(at + 10) >> limit & 1) != 0;
  }

  private static int headEnd(ByteBuffer input, int at) {
    byte op = input.get(at);
    boolean hasLife = op == REFUND || op == LEASE || op == HOLD;
    return at + HEAD_BYTES + (hasLife ? LIFE_BYTES : 0) + (op == HOLD ? HOLDER_BYTES : 0);
  }

  private static int limitBytes(byte op) {
    return switch (op) {
      case RESET -> 0;
      case REFUND -> LIMIT_BYTES + MARK_BYTES;
      case HOLD -> LIMIT_BYTES + HELD_BYTES;
      default -> LIMIT_BYTES;
    };
  }

  /** Further keys, of what is held. */
  private static int heldCount(ByteBuffer input, int at) {
    if (input.get(at) == PEEK) {
      return Long.bitCount((long) input.getDouble(at + 10));
    }
    int count = 0;
    for (int i = 0; input.get(at) == HOLD && i < input.get(at + 1); i++) {
      count += input.get(headEnd(input, at) + i * limitBytes(HOLD) + LIMIT_BYTES) != 0 ? 1 : 0;
    }
    return count;
  }

  private void execute(ByteBuffer input, int at, List<String> keys, ByteBuffer reply) {
    if (input.get(at) == RESET) {
      executed.add("reset " + keys);
      keys.forEach(grants::remove);
      reply(reply, CheckReply.DONE, 0, 0, 0, 0);
      return;
    }
    long[] costs = new long[keys.size()];
    for (int i = 0; i < costs.length; i++) {
      int limit = headEnd(input, at) + i * limitBytes(input.get(at));
      costs[i] = (long) input.getDouble(limit + COST);
    }
    if (input.get(at) == REFUND) {
      executed.add("refund " + keys);
      for (int i = 0; i < costs.length; i++) {
        int limit = headEnd(input, at) + i * limitBytes(REFUND);
        long mark = (long) input.getDouble(limit + LIMIT_BYTES);
        boolean isKept = input.getDouble(at + HEAD_BYTES) > 0;
        giveBack(keys.get(i), costs[i], (long) input.getDouble(at + 10), mark, isKept);
      }
      reply(reply, CheckReply.DONE, 0, 0, 0, 0);
      return;
    }
    long requests = (long) input.getDouble(at + 2);
    if (input.get(at) == HOLD) {
      hold(input, at, keys, reply);
      return;
    }
    if (input.get(at) == DEBT) {
      debts.add("debt of " + requests);
      reply(reply, CheckReply.DONE, 0, 0, 0, 0);
      return;
    }
    boolean charges = input.get(at) != PEEK;
    boolean isLease = input.get(at) == LEASE;
    executed.add((isLease ? "lease " : charges ? "check " : "peek ") + keys);
    long granted = requests;
    long least = Long.MAX_VALUE;
    int leastAt = 0;
    for (int i = 0; i < keys.size(); i++) {
      // Under a smaller plan more may be charged than it has.
      long capacity = capacity(input, headEnd(input, at) + i * LIMIT_BYTES);
      long left = Math.max(capacity - charged(keys.get(i)), 0);
      left -= isHeldShown(input, at, i) ? heldUnits(keys.get(i)) : 0;
      long fits = left / costs[i];
      if (fits < granted || granted == requests && left < least) {
        granted = Math.min(granted, fits);
        least = left;
        leastAt = i;
      }
    }
    long kept = 0;
    if (isLease) {
      long free = least - granted * costs[leastAt];
      long wanted = (long) input.getDouble(at + 10);
      kept = granted < requests ? 0 : Math.min(wanted, free / 4 / costs[leastAt]);
      long[] lease = new long[2 + CheckCall.MAX_LIMITS];
      Arrays.fill(lease, CheckCall.NO_MARK);
      lease[0] = kept;
      lease[1] = kept > 0 ? (long) input.getDouble(at + HEAD_BYTES) : 0;
      for (int i = 0; i < keys.size() && granted + kept > 0; i++) {
        if (isMarked(input, headEnd(input, at) + i * LIMIT_BYTES)) {
          lease[2 + i] = mark();
        }
      }
      leases.add(lease);
    }
    for (int i = 0; i < keys.size() && charges && granted + kept > 0; i++) {
      Map<Long, Long> of = grants.computeIfAbsent(keys.get(i), key -> new TreeMap<>());
      of.merge(nowUs, (granted + kept) * costs[i], Long::sum);
      Set<Long> allowed = marks.computeIfAbsent(keys.get(i) + '@' + nowUs, key -> new HashSet<>());
      if (!isMarked(input, headEnd(input, at) + i * LIMIT_BYTES)) {
        allowed.add(CheckCall.NO_MARK);
      } else if (isLease) {
        allowed.addAll(List.of(mark(), mark() - kept * costs[i]));
      }
    }
    int status = granted + kept > 0 ? CheckReply.GRANTED : CheckReply.REFUSED;
    long retryUs = granted == requests ? 0 : TimeUnit.DAYS.toMicros(1);
    long left = charges ? least - (granted + kept) * costs[leastAt] : least;
    reply(reply, status, leastAt, granted, left, retryUs);
  }

  /** Takes what a holder says of each limit that holds, and grants requests that fit them all. */
  private void hold(ByteBuffer input, int at, List<String> keys, ByteBuffer reply) {
    long requests = (long) input.getDouble(at + 2);
    long kept = (long) input.getDouble(at + 10);
    long holder = input.getLong(at + HOLDER);
    double sequence = input.getDouble(at + HOLDER + 8);
    byte[] became = new byte[keys.size()];
    boolean isApplied = true;
    for (int i = 0; i < became.length; i++) {
      int how = headEnd(input, at) + i * limitBytes(HOLD) + LIMIT_BYTES;
      if (input.get(how) != 0) {
        long units = (long) input.getDouble(how + 1);
        long charged = (long) input.getDouble(how + 9);
        became[i] = apply(keys.get(i), holder, sequence, input.get(how) == 2, units, charged);
        isApplied &= became[i] == CheckReply.APPLIED;
      }
    }
    long granted = isApplied ? requests : 0;
    long least = Long.MAX_VALUE;
    int leastAt = 0;
    for (int i = 0; i < became.length; i++) {
      int limit = headEnd(input, at) + i * limitBytes(HOLD);
      long left = capacity(input, limit) - charged(keys.get(i)) - heldUnits(keys.get(i));
      granted = Math.min(granted, Math.max(0, left) / (long) input.getDouble(limit + COST));
      leastAt = left < least ? i : leastAt;
      least = Math.min(least, left);
    }
    for (int i = 0; i < became.length; i++) {
      int limit = headEnd(input, at) + i * limitBytes(HOLD);
      long cost = (long) input.getDouble(limit + COST);
      long left = capacity(input, limit) - charged(keys.get(i)) - heldUnits(keys.get(i));
      boolean isKept = isApplied && granted == requests && became[i] == CheckReply.APPLIED;
      kept = isKept ? Math.min(kept, Math.max(0, left - granted * cost) / 4 / cost) : 0;
    }
    for (int i = 0; i < became.length; i++) {
      long taken =
          (granted + kept)
              * (long) input.getDouble(headEnd(input, at) + i * limitBytes(HOLD) + COST);
      if (became[i] == CheckReply.APPLIED) {
        held.get(keys.get(i)).get(holder).units += taken;
      } else if (taken > 0) {
        chargeNow(keys.get(i), taken);
        marks
            .computeIfAbsent(keys.get(i) + '@' + nowUs, key -> new HashSet<>())
            .add(CheckCall.NO_MARK);
      }
    }
    String more = kept > 0 ? " and " + kept : "";
    executed.add("hold for " + granted + " of " + requests + more + " " + keys);
    byte[] told = new byte[8 + CheckCall.MAX_LIMITS];
    ByteBuffer.wrap(told).order(ByteOrder.LITTLE_ENDIAN).putDouble(kept);
    System.arraycopy(became, 0, told, 8, became.length);
    holds.add(told);
    int status = granted + kept > 0 ? CheckReply.GRANTED : CheckReply.REFUSED;
    int costAt = headEnd(input, at) + leastAt * limitBytes(HOLD) + COST;
    long left = least - (granted + kept) * (long) input.getDouble(costAt);
    reply(reply, status, leastAt, granted, Math.max(0, left), 0);
  }

  private byte apply(
      String key, long holder, double sequence, boolean isNew, long units, long charged) {
    Map<Long, Held> records = held.computeIfAbsent(key, any -> new HashMap<>());
    Held record = records.get(holder);
    if (record == null && !isNew) {
      return CheckReply.FORGOTTEN;
    }
    if (record != null && sequence <= record.sequence) {
      return CheckReply.OLDER;
    }
    if (record == null) {
      record = new Held();
      records.put(holder, record);
    }
    chargeNow(key, charged - record.charged);
    record.units = units;
    record.charged = charged;
    record.sequence = sequence;
    return CheckReply.APPLIED;
  }

  private void chargeNow(String key, long units) {
    grants.computeIfAbsent(key, any -> new TreeMap<>()).merge(nowUs, units, Long::sum);
  }

  private long heldUnits(String key) {
    return held.getOrDefault(key, Map.of()).values().stream().mapToLong(of -> of.units).sum();
  }

  private static boolean isPaced(ByteBuffer input, int limit) {
    return (input.get(limit) & ~FORMER) == PACED;
  }

  private static long capacity(ByteBuffer input, int limit) {
    return (long) input.getDouble(limit + (isPaced(input, limit) ? PACED_NUMBER : NUMBER));
  }

  /**
   * The mark of units that are kept by the present call; those granted at once have as much less.
   */
  private long mark() {
    return nowUs * MARKS_PER_CALL % (1L << 40);
  }

  /** Whether what is granted of a limit has a mark. */
  private static boolean isMarked(ByteBuffer input, int limit) {
    return isPaced(input, limit) && input.getDouble(limit + QUEUE) < NO_QUEUE;
  }

  private void giveBack(String key, long units, long chargedAtUs, long mark, boolean isKept) {
    NavigableMap<Long, Long> of = grants.getOrDefault(key, new TreeMap<>());
    long left = units;
    // Kept units may go back as another lease's that ends at nearly the same time.
    for (Long at = of.floorKey(chargedAtUs); at != null && left > 0; at = of.lowerKey(at)) {
      if (at.longValue() == chargedAtUs || isKept) {
        long back = Math.min(left, of.get(at));
        of.merge(at, -back, Long::sum);
        left -= back;
      }
    }
    if (left > 0) {
      faults.add(key + " is given back more than was granted");
    } else if (!marks.get(key + '@' + chargedAtUs).contains(mark)) {
      faults.add(key + " is given back without the mark of its grant");
    }
  }

  private void reply(
      ByteBuffer to, int status, int limitIndex, long granted, long left, long retryUs) {
    to.put((byte) status).put((byte) limitIndex).putDouble(granted).putDouble(left).putDouble(100);
    to.putDouble(nowUs + TimeUnit.DAYS.toMicros(1)).putDouble(retryUs).putDouble(0);
  }

  private static List<byte[]> words(ByteBuf bytes) {
    List<byte[]> words = new ArrayList<>();
    int count = number(bytes);
    for (int i = 0; i < count; i++) {
      byte[] word = new byte[number(bytes)];
      bytes.readBytes(word).skipBytes(2);
      words.add(word);
    }
    return words;
  }

  private static int number(ByteBuf bytes) {
    int end = bytes.indexOf(bytes.readerIndex(), bytes.writerIndex(), (byte) '\r');
    String line = bytes.readCharSequence(end - bytes.readerIndex(), StandardCharsets.US_ASCII) + "";
    bytes.skipBytes(2);
    return Integer.parseInt(line.substring(1));
  }

  // ---- what came of it

  private long charged(String key) {
    return grants.getOrDefault(key, Collections.emptyNavigableMap()).values().stream()
        .mapToLong(Long::longValue)
        .sum();
  }

  /** Others use units of a budget that has been charged before. */
  public void charge(String identity, long units) {
    for (Map.Entry<String, NavigableMap<Long, Long>> of : grants.entrySet()) {
      if (of.getKey().split(":")[3].equals(identity)) {
        of.getValue().merge(++nowUs, units, Long::sum);
      }
    }
  }

  /** The most units that a budget is charged with, by identity; of identities that have any. */
  public Map<String, Long> charges() {
    Map<String, Long> charges = new HashMap<>();
    for (String key : grants.keySet()) {
      String[] parts = key.split(":");
      charges.merge(parts[3], charged(key), Math::max);
    }
    return charges;
  }

  /** Somebody else gives everything back. */
  public void forget() {
    grants.clear();
    marks.clear();
  }

  /** The records of all holders expire, and what they hold is not charged. */
  public void forgetHolders() {
    held.clear();
  }

  /** Units that all holders hold, of all budgets together. */
  public long heldUnits() {
    return held.keySet().stream().mapToLong(this::heldUnits).sum();
  }

  /** Faults: what no client may ask for. */
  public List<String> faults() {
    return faults;
  }

  /** The debts that it was to charge: of how many requests. It charges none. */
  public List<String> debts() {
    return debts;
  }

  /** Checks, holds and refunds that were executed, in order: the kind and its keys. */
  public List<String> executed() {
    return executed;
  }

  @Override
  public String toString() {
    return Arrays.asList(address, pending.size() + " pending", charges()).toString();
  }

  /** An answer that is there. */
  private static final class Done<T> extends CompletableFuture<T> implements RedisFuture<T> {
    Done(T value) {
      complete(value);
    }

    @Override
    public String getError() {
      return null;
    }

    @Override
    public boolean await(long timeout, TimeUnit unit) {
      return true;
    }
  }
}
