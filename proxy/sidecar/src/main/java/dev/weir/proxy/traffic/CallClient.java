package dev.weir.proxy.traffic;

import dev.weir.proxy.decision.proto.ProtoWriter;
import dev.weir.proxy.http2.FrameFlag;
import dev.weir.proxy.http2.FrameType;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.Arrays;

/**
 * A program that asks the decision API by gRPC, as libraries do: the fields of its calls are in the
 * table of the connection, and some calls at a time are in flight. Most of them ask for one check.
 */
final class CallClient extends Http2Peer {
  /** The domain and the key of Envoy's descriptors that are asked about. */
  static final String DOMAIN = "warm-up";

  static final String KEY = "user";

  private static final int CALL_BYTES = 512;
  private static final int BATCH = 4;

  // Bytes before a message of gRPC: whether it is compressed, and its length.
  private static final int PREFIX_BYTES = 5;

  // Of CheckRateLimitRequest; of CheckRateLimitsRequest.
  private static final int IDENTIFIER = 1;
  private static final int DIMENSION = 2;
  private static final int USER = 1;
  private static final int ENDPOINT = 5;
  private static final int METHOD = 6;
  private static final int CHECKS = 1;

  // Of Envoy's RateLimitRequest, of a descriptor, of an entry.
  private static final int OF_DOMAIN = 1;
  private static final int DESCRIPTORS = 2;
  private static final int ENTRIES = 1;
  private static final int OF_KEY = 1;
  private static final int OF_VALUE = 2;

  private final Call[] calls;
  private final int atOnce;
  private final int firstUser;
  private final int users;
  private int sentCount;
  private int messageCount;

  /** A method and the message that it is asked with. */
  private static final class Call {
    private final CallHead head;
    private final byte[] message;
    private final UserId userId;

    Call(CallHead head, ProtoWriter written) {
      this.head = head;
      message = Arrays.copyOf(written.array(), written.end());
      int bytes = written.length();
      message[PREFIX_BYTES - 2] = (byte) (bytes >> 8);
      message[PREFIX_BYTES - 1] = (byte) bytes;
      userId = new UserId(message);
    }
  }

  /**
   * @param atOnce calls are in flight.
   * @param firstUser whose checks come first.
   * @param users how many there are, by turns.
   */
  CallClient(SocketChannel channel, int atOnce, int firstUser, int users) throws IOException {
    super(channel, CALL_BYTES * (atOnce + 1));
    this.atOnce = atOnce;
    this.firstUser = firstUser;
    this.users = users;
    CallHead.Table table = new CallHead.Table();
    CallHead head = new CallHead(table, "/weir.v1.RateLimiter/CheckRateLimit");
    Call usual = new Call(head, check(message(), "/orders/17"));
    Call scarce = new Call(head, check(message(), "/login"));
    Call several =
        new Call(new CallHead(table, "/weir.v1.RateLimiter/CheckRateLimits"), checks(message()));
    Call descriptors =
        new Call(
            new CallHead(table, "/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit"),
            descriptors(message()));
    calls = new Call[] {usual, usual, descriptors, usual, usual, scarce, usual, several};
    beginAsClient();
  }

  private static ProtoWriter message() {
    return new ProtoWriter(PREFIX_BYTES);
  }

  private static ProtoWriter check(ProtoWriter message, String endpoint) {
    return message
        .text(IDENTIFIER, UserId.PLACE)
        .varint(DIMENSION, USER)
        .text(ENDPOINT, endpoint)
        .text(METHOD, "POST");
  }

  private static ProtoWriter checks(ProtoWriter message) {
    for (int i = 0; i < BATCH; i++) {
      int begun = message.beginMessage(CHECKS);
      check(message, "/orders/" + i);
      message.endMessage(begun);
    }
    return message;
  }

  private static ProtoWriter descriptors(ProtoWriter message) {
    message.text(OF_DOMAIN, DOMAIN);
    descriptor(message, KEY, UserId.PLACE);
    return descriptor(message, "path", "/orders", KEY, UserId.PLACE);
  }

  private static ProtoWriter descriptor(ProtoWriter message, String... entries) {
    int descriptor = message.beginMessage(DESCRIPTORS);
    for (int i = 0; i < entries.length; i += 2) {
      int entry = message.beginMessage(ENTRIES);
      message.text(OF_KEY, entries[i]).text(OF_VALUE, entries[i + 1]);
      message.endMessage(entry);
    }
    message.endMessage(descriptor);
    return message;
  }

  @Override
  void send() throws IOException {
    for (int i = 0; i < atOnce; i++) {
      Call call = calls[sentCount % calls.length];
      call.userId.write(firstUser + sentCount % users);
      int streamId = 2 * sentCount++ + 1;
      frame(FrameType.HEADERS, FrameFlag.END_HEADERS, streamId, call.head.next());
      frame(FrameType.DATA, FrameFlag.END_STREAM, streamId, call.message);
    }
    asked(atOnce);
    flush();
  }

  @Override
  boolean take(ByteBuffer received) throws IOException {
    int start = received.position();
    if (!super.take(received)) {
      return false;
    }
    if (received.get(start + 3) == FrameType.DATA) {
      messageCount++;
    }
    return true;
  }

  /** Only a call that failed has no message. */
  @Override
  void ended(int streamId, int type) throws IOException {
    if (messageCount-- == 0) {
      throw new IOException("a call has failed");
    }
    answered();
  }
}
