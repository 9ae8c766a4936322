package dev.weir.proxy.store;

import dev.weir.scripts.LuaScript;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.ProtocolKeyword;
import io.lettuce.core.protocol.RedisCommand;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * A batch as a command of Lettuce: writes the batch's bytes, and keeps the one string of the
 * answer. Reused with its batch, which may be sent several times.
 *
 * <p>Each time it is written it ends once: by an answer, which may be an error; by loss of the
 * connection, after which it may have been executed if any byte of it was {@linkplain #isEncoded
 * encoded}; or unsent.
 */
final class BatchCall implements RedisCommand<byte[], byte[], byte[]> {
  private static final byte[] DIGEST = ascii(LuaScript.CHECK.sha1());
  private static final byte[] SOURCE = LuaScript.CHECK.source();
  private static final byte[] EVALSHA = ascii("$7\r\nEVALSHA\r\n$40\r\n" + ascii(DIGEST) + "\r\n");
  private static final byte[] EVAL = ascii("$4\r\nEVAL\r\n$" + SOURCE.length + "\r\n");
  private static final CommandArgs<byte[], byte[]> NO_ARGS =
      new CommandArgs<>(ByteArrayCodec.INSTANCE);

  private enum State {
    AWAY,
    ANSWERED,
    LOST,
    UNSENT
  }

  private final Batch batch;
  private final EndedCalls ended;
  private final Output output = new Output();
  private State state = State.UNSENT;
  private boolean isEncoded;
  private boolean withSource;
  private boolean isAsking;

  BatchCall(Batch batch, EndedCalls ended) {
    this.batch = batch;
    this.ended = ended;
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private static String ascii(byte[] bytes) {
    return new String(bytes, StandardCharsets.US_ASCII);
  }

  /** Forgets how it was sent before. */
  void clear() {
    withSource = false;
    isAsking = false;
  }

  /** Prepares the call to be written. */
  void prepare() {
    state = State.AWAY;
    isEncoded = false;
    output.clear();
  }

  /** Sends the script's source from now on; returns whether it was not sent before. */
  boolean trySource() {
    boolean first = !withSource;
    withSource = true;
    return first;
  }

  /** Sets whether the next call begins with ASKING, as a slot is being moved. */
  void asking(boolean now) {
    isAsking = now;
  }

  /** Whether the call begins with ASKING: the new owner of a moving slot then accepts it once. */
  boolean isAsking() {
    return isAsking;
  }

  /** Whether any byte of it may have reached the server. */
  boolean isEncoded() {
    return isEncoded;
  }

  /** The answer; null if there is none. */
  ByteBuffer answer() {
    return output.has ? output.bytes : null;
  }

  /** The message of the server's error; null if there was none. */
  String error() {
    return output.getError();
  }

  /** Whether it still has to be sent; drops checks that no request waits for. */
  boolean isNeeded() {
    return batch.isNeeded();
  }

  @Override
  public void encode(ByteBuf out) {
    isEncoded = true;
    Resp.array(out, 4 + batch.keyCount());
    if (withSource) {
      out.writeBytes(EVAL).writeBytes(SOURCE).writeBytes(Resp.CRLF);
    } else {
      out.writeBytes(EVALSHA);
    }
    Resp.bulkNumber(out, batch.keyCount());
    batch.writeKeys(out);
    Resp.bulkHead(out, batch.byteCount());
    batch.writeTo(out);
    out.writeBytes(Resp.CRLF);
  }

  @Override
  public void complete() {
    end(State.ANSWERED);
  }

  @Override
  public boolean completeExceptionally(Throwable cause) {
    return end(State.LOST);
  }

  /** Ends a call that cannot be written, or need not be. */
  void unsent() {
    end(State.UNSENT);
  }

  private boolean end(State how) {
    if (state != State.AWAY) {
      return false;
    }
    state = how;
    ended.add(this);
    return true;
  }

  /** Reports its end to its owner: {@link EndedCalls}. */
  void tell() {
    switch (state) {
      case ANSWERED -> batch.owner().answered(batch);
      case LOST -> batch.owner().lost(batch);
      case UNSENT -> batch.owner().unsent(batch);
      case AWAY -> throw new IllegalStateException("a call that is away has not ended");
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
    return state != State.AWAY;
  }

  @Override
  public CommandOutput<byte[], byte[], byte[]> getOutput() {
    return output;
  }

  @Override
  public void setOutput(CommandOutput<byte[], byte[], byte[]> other) {
    throw new IllegalStateException("a batch has an output of its own");
  }

  @Override
  public String toString() {
    return batch.toString();
  }

  /** Keeps the one string of the answer, or the error. */
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
