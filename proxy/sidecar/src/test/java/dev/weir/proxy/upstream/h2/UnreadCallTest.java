package dev.weir.proxy.upstream.h2;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.io.ByteStreams;
import dev.weir.proxy.rig.EchoService;
import dev.weir.proxy.rig.Rig;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A call whose service does not read it, beside calls and uploads of its client and of others on
 * the same event loop.
 */
@Timeout(60)
class UnreadCallTest {
  private static final MethodDescriptor.Marshaller<byte[]> BYTES =
      new MethodDescriptor.Marshaller<>() {
        @Override
        public InputStream stream(byte[] message) {
          return new ByteArrayInputStream(message);
        }

        @Override
        public byte[] parse(InputStream stream) {
          try {
            return ByteStreams.toByteArray(stream);
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        }
      };

  private static final MethodDescriptor<byte[], byte[]> UNREAD = method("unread");
  private static final MethodDescriptor<byte[], byte[]> ECHO = method("echo");
  private static final int WINDOW_BYTES = 65_535;
  private static final int MESSAGE_BYTES = 20_000;
  private static final int CALLS = 20;

  private final List<ManagedChannel> channels = new ArrayList<>();
  private EchoService service;
  private Rig rig;

  private static MethodDescriptor<byte[], byte[]> method(String name) {
    return MethodDescriptor.newBuilder(BYTES, BYTES)
        .setType(MethodType.BIDI_STREAMING)
        .setFullMethodName("test.Test/" + name)
        .build();
  }

  @BeforeEach
  void start() throws Exception {
    service = new EchoService();
    rig =
        new Rig(
            "auto",
            "--upstream",
            service.url(),
            "--timeouts.connect", // a cold and busy JVM takes its time for the first connection
            "30s",
            "--timeouts.upstream-queue",
            "30s");
  }

  @AfterEach
  void stop() throws Exception {
    channels.forEach(ManagedChannel::shutdownNow);
    rig.close();
    service.close();
  }

  /** One call of a client, and what it is told: the length of an answer, or how it has ended. */
  private static final class Call extends ClientCall.Listener<byte[]> {
    private final BlockingQueue<String> told = new LinkedBlockingQueue<>();
    private final ClientCall<byte[], byte[]> call;

    Call(ManagedChannel channel, MethodDescriptor<byte[], byte[]> method) {
      call = channel.newCall(method, CallOptions.DEFAULT);
      call.start(this, new Metadata());
      call.request(1_000);
    }

    Call send(int bytes) {
      call.sendMessage(new byte[bytes]);
      return this;
    }

    String next() throws InterruptedException {
      String next = told.poll(20, TimeUnit.SECONDS);
      return next == null ? "nothing" : next;
    }

    @Override
    public void onMessage(byte[] message) {
      told.add("" + message.length);
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
      told.add(status.getCode().toString());
    }
  }

  private ManagedChannel channel() {
    channels.add(NettyChannelBuilder.forAddress("127.0.0.1", rig.port()).usePlaintext().build());
    return channels.get(channels.size() - 1);
  }

  /** An upload of HTTP/1.1. */
  private HttpResponse<byte[]> upload() throws Exception {
    return HttpClient.newHttpClient()
        .send(
            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + rig.port() + "/upload"))
                .version(HttpClient.Version.HTTP_1_1)
                .timeout(Duration.ofSeconds(20))
                .POST(BodyPublishers.ofByteArray(new byte[MESSAGE_BYTES]))
                .build(),
            BodyHandlers.ofByteArray());
  }

  @Test
  void stopsNoOtherCallOfItsClientNorOfOthers() throws Exception {
    ManagedChannel mixed = channel();
    ManagedChannel other = channel();
    Call goesOn = new Call(other, ECHO).send(10);
    assertEquals("10", goesOn.next());
    Call unread = new Call(mixed, UNREAD).send(2 * WINDOW_BYTES);
    Call unreadToo = new Call(mixed, UNREAD).send(2 * WINDOW_BYTES);
    List<Call> calls = new ArrayList<>();
    for (int i = 0; i < CALLS; i++) {
      Call call = new Call(i % 2 == 0 ? mixed : other, ECHO).send(MESSAGE_BYTES);
      call.call.halfClose();
      calls.add(call);
      TimeUnit.MILLISECONDS.sleep(20); // before the window is seen to be shut, and after that
    }
    goesOn.send(MESSAGE_BYTES);
    for (Call call : calls) {
      assertEquals("" + MESSAGE_BYTES, call.next());
      assertEquals("OK", call.next());
    }
    assertEquals("" + MESSAGE_BYTES, goesOn.next(), "a stream of the same connection");
    assertEquals(200, upload().statusCode());
    assertTrue(service.connections() > 1);
    assertEquals("UNAVAILABLE", unread.next());
  }
}
