package dev.weir.proxy.decision.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.Descriptors.FileDescriptor;
import dev.weir.proxy.decision.DecisionRig;
import dev.weir.proxy.decision.http.Tokens;
import dev.weir.proxy.http2.ErrorCode;
import dev.weir.proxy.http2.FramePeer;
import dev.weir.proxy.http2.Setting;
import dev.weir.proxy.request.DecisionCall;
import dev.weir.v1.RateLimiterProto;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The services of gRPC's own that every server has: health checking and reflection. */
class HealthAndReflectionTest {
  private static final String HEAD = ":status: 200, content-type: application/grpc";
  private static final String OK = " grpc-status: 0 end";

  /** Stands for a service. */
  private record Named(String path) implements GrpcMethod {
    private static final List<GrpcMethod> ALL =
        List.of(
            new Named("/a.B/C"),
            new Named("/weir.v1.RateLimiter/CheckRateLimit"),
            new Named("/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit"));

    @Override
    public Set<String> healthNames() {
      return path.startsWith("/envoy.") ? Set.of("ratelimit") : Set.of();
    }

    @Override
    public DecisionCall kind() {
      return DecisionCall.OTHER;
    }

    @Override
    public void call(GrpcCall call) {
      call.send();
    }
  }

  private final DecisionRig rig =
      new DecisionRig()
          .tokens(new Tokens(List.of("secret"), true))
          .with(Named.ALL, List.of())
          .connectHttp2();

  @AfterEach
  void end() {
    rig.close();
    assertEquals(0, rig.open);
    assertEquals(0, rig.http2.heldBytes());
  }

  private List<String> health(int stream, String method, String service) {
    String message = service.isEmpty() ? "" : "\n" + (char) service.length() + service;
    rig.head(stream, "/grpc.health.v1.Health/" + method)
        .data(stream, true, DecisionRig.message(message))
        .send();
    return rig.client.received();
  }

  private static String status(int stream, int status) {
    return "DATA " + stream + " " + DecisionRig.message("\b" + (char) status);
  }

  @Test
  void tellsWhetherItServesWithoutAToken() {
    assertEquals(
        List.of("HEADERS 1 " + HEAD, status(1, 1), "HEADERS 1" + OK), health(1, "Check", ""));
    assertEquals(
        List.of("HEADERS 3 " + HEAD, status(3, 1), "HEADERS 3" + OK), health(3, "Check", "a.B"));
    assertEquals(
        List.of(
            "HEADERS 5 "
                + HEAD
                + ", grpc-status: 5, grpc-message: service: x.Y (expected: one of this process)"
                + " end"),
        health(5, "Check", "x.Y"));
    rig.loop().stopServing();
    assertEquals(status(7, 2), health(7, "Check", "").get(1));
  }

  /** Envoy's own rate-limit service has this name for its health checks. */
  @Test
  void knowsServicesByTheNamesThatHealthChecksHaveForThem() {
    for (String name :
        List.of(
            "ratelimit", "envoy.service.ratelimit.v3.RateLimitService", "weir.v1.RateLimiter")) {
      DecisionRig other = new DecisionRig().with(Named.ALL, List.of()).connectHttp2();
      other
          .head(1, "/grpc.health.v1.Health/Check")
          .data(1, true, DecisionRig.message("\n" + (char) name.length() + name))
          .send();
      assertEquals(
          List.of("HEADERS 1 " + HEAD, status(1, 1), "HEADERS 1" + OK),
          other.client.received(),
          name);
      other.close();
    }
    assertTrue(health(1, "Check", "ratelimits").toString().contains("grpc-status: 5"));
  }

  @Test
  void tellsWhoWatchesWhenItEnds() {
    assertEquals(List.of("HEADERS 1 " + HEAD, status(1, 1)), health(1, "Watch", ""));
    assertEquals(List.of("HEADERS 3 " + HEAD, status(3, 3)), health(3, "Watch", "x.Y"));
    assertEquals(List.of("HEADERS 5 " + HEAD, status(5, 1)), health(5, "Watch", "a.B"));
    rig.client.reset(1, ErrorCode.CANCEL).send();
    rig.loop().stopServing();
    String end = " grpc-status: 14, grpc-message: the process is about to end end";
    assertEquals(
        Set.of(status(3, 3), "HEADERS 3" + end, status(5, 2), "HEADERS 5" + end),
        Set.copyOf(rig.client.received()));
  }

  @Test
  void whoIsNoLongerWatchingIsToldNothing() {
    for (int stream = 1; stream <= 3; stream += 2) {
      rig.head(stream, "/grpc.health.v1.Health/Watch")
          .data(stream, false, DecisionRig.message(""))
          .send();
      assertEquals(
          List.of("HEADERS " + stream + " " + HEAD, status(stream, 1)), rig.client.received());
    }
    rig.client.data(1, true, "\0\0\1\0\0").data(3, true, DecisionRig.message("")).send();
    assertEquals(
        List.of(
            "HEADERS 1 grpc-status: 8, grpc-message: a message of 65536 bytes (expected: at most"
                + " 1024) end",
            "HEADERS 3 grpc-status: 3, grpc-message: a second message (expected: one) end"),
        rig.client.received());
    rig.loop().stopServing();
    assertEquals(List.of(), rig.client.received());
  }

  private FramePeer watch(FramePeer client, int stream) {
    return client
        .request(
            stream,
            false,
            "POST",
            "/grpc.health.v1.Health/Watch",
            "content-type: application/grpc",
            "te: trailers")
        .data(stream, true, DecisionRig.message(""))
        .send();
  }

  @Test
  void watchesOfAConnectionAreFew() {
    for (int i = 0; i < StreamingCalls.MAX_OF_CONNECTION; i++) {
      int stream = 2 * i + 1;
      assertEquals(
          List.of("HEADERS " + stream + " " + HEAD, status(stream, 1)),
          health(stream, "Watch", ""));
    }
    assertEquals(
        List.of(
            "HEADERS 101 "
                + HEAD
                + ", grpc-accept-encoding: identity, grpc-status: 12, grpc-message: more than 8"
                + " streaming calls of this connection, more of this client than it may have, or"
                + " more than 1000 of an event loop end"),
        health(101, "Watch", ""));
    rig.client.reset(1, ErrorCode.CANCEL).send();
    assertEquals(
        List.of("HEADERS 103 " + HEAD, status(103, 1)), health(103, "Watch", ""), "one has left");
    assertEquals(3, health(105, "Check", "").size(), "to ask once is no watch");
  }

  /** Each refusal costs an answer: 900 connections of 1,000 such calls kept a loop busy. */
  @Test
  void connectionWhoseStreamingCallsAreRefusedAgainAndAgainOpensNoMore() {
    StringBuilder told = new StringBuilder();
    int refused = 0;
    for (int stream = 1; stream < 2_000; stream += 2) {
      String answer = health(stream, "Watch", "").toString();
      refused += answer.contains("grpc-status: 12") ? 1 : 0;
      told.append(answer);
    }
    assertTrue(told.indexOf("GOAWAY") > 0, "is drained");
    assertTrue(refused > 100 && refused < 300, refused + " were answered");
    assertEquals(StreamingCalls.MAX_OF_CONNECTION, rig.open, "those that were accepted go on");
  }

  @Test
  void watchesOfAnEventLoopHaveACapWhateverTheNumberOfConnections() {
    List<EmbeddedChannel> channels = new ArrayList<>();
    int watching = 0;
    while (watching < StreamingCalls.MAX) {
      EmbeddedChannel channel = new EmbeddedChannel();
      channels.add(channel);
      FramePeer client = rig.another(channel);
      for (int i = 0; i < StreamingCalls.MAX_OF_CONNECTION && watching < StreamingCalls.MAX; i++) {
        watch(client, 2 * i + 1);
        watching++;
      }
    }
    assertEquals(StreamingCalls.MAX, rig.open);
    String refused = health(1, "Watch", "").toString();
    assertTrue(refused.contains("grpc-status: 12"), refused);
    assertEquals(StreamingCalls.MAX, rig.open);
    channels.forEach(EmbeddedChannel::finishAndReleaseAll);
    assertEquals(0, rig.open);
    assertEquals(List.of("HEADERS 3 " + HEAD, status(3, 1)), health(3, "Watch", ""));
  }

  /** A place is held for an hour: one address must not have all of them. */
  @Test
  void oneClientLeavesAQuarterOfTheWatchesToOthers() {
    List<EmbeddedChannel> channels = new ArrayList<>();
    for (int i = 0; i < StreamingCalls.MAX / StreamingCalls.MAX_OF_CONNECTION; i++) {
      EmbeddedChannel channel = new EmbeddedChannel();
      channels.add(channel);
      FramePeer client = rig.another(channel, "one address");
      for (int call = 0; call < StreamingCalls.MAX_OF_CONNECTION; call++) {
        watch(client, 2 * call + 1);
      }
    }
    assertEquals(StreamingCalls.MAX / 4 * 3, rig.open);
    EmbeddedChannel other = new EmbeddedChannel();
    watch(rig.another(other, "another"), 1);
    assertEquals(StreamingCalls.MAX / 4 * 3 + 1, rig.open);
    channels.forEach(EmbeddedChannel::finishAndReleaseAll);
    assertEquals(1, rig.open);
    other.finishAndReleaseAll();
    assertEquals(0, rig.open);
  }

  @Test
  void watchEndsInTimeAndIsToldToComeAgain() {
    health(1, "Watch", "");
    rig.pass(TimeUnit.MINUTES.toNanos(59));
    assertEquals(List.of(), rig.client.received());
    rig.pass(TimeUnit.MINUTES.toNanos(2));
    assertEquals(
        List.of(
            "HEADERS 1 grpc-status: 14, grpc-message: the call has lasted for 3600 seconds"
                + " (expected: to be made again) end"),
        rig.client.received());
    assertEquals(0, rig.open);
  }

  /** It needs no token: it must not cost more than what does. */
  @Test
  void nameOfAServiceIsShort() {
    String name = "x".repeat(127);
    assertTrue(health(1, "Check", name).toString().contains("service: " + "x".repeat(100) + "..."));
    rig.head(3, "/grpc.health.v1.Health/Check")
        .data(3, true, DecisionRig.message(new byte[1_025]))
        .send();
    assertEquals(
        List.of(
            "HEADERS 3 "
                + HEAD
                + ", grpc-status: 8, grpc-message: a message of 1025 bytes (expected: at most 1024)"
                + " end"),
        rig.client.received());
  }

  @Test
  void reflectionKeepsNothingOfMessagesThatItHasAnswered() {
    UnpooledByteBufAllocator memory = rig.countMemory();
    rig.head(
            1,
            "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
            "authorization: Bearer secret")
        .send();
    rig.client.windowUpdate(0, 1 << 30).windowUpdate(1, 1 << 30).send();
    byte[] message = DecisionRig.message(request(5, "x".repeat(120)));
    int cut = message.length / 2;
    byte[] across = new byte[message.length];
    System.arraycopy(message, cut, across, 0, message.length - cut);
    System.arraycopy(message, 0, across, message.length - cut, cut);
    rig.client.data(1, false, Arrays.copyOf(message, cut)).send();
    for (int i = 0; i < 2_000; i++) {
      rig.client.data(1, false, across).send();
      rig.client.received();
    }
    long kept = memory.metric().usedDirectMemory();
    assertTrue(kept < 64 * 1024, kept + " bytes are kept of " + 2_000 * across.length);
    assertTrue(rig.http2.heldBytes() >= kept - 16 * 1024, rig.http2.heldBytes() + " of " + kept);
    rig.client.reset(1, ErrorCode.CANCEL).send();
  }

  @Test
  void whoReadsNoAnswersAsksNoMore() {
    byte[] symbol = "\"\u0013weir.v1.RateLimiter".getBytes(StandardCharsets.US_ASCII);
    rig.client.settings(Setting.INITIAL_WINDOW_SIZE, 10);
    rig.head(
        1,
        "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
        "authorization: Bearer secret");
    for (int i = 0; i < 1_000; i++) {
      rig.client.data(1, false, DecisionRig.message(symbol));
    }
    rig.client.send();
    assertTrue(rig.http2.heldBytes() < 1 << 19, rig.http2.heldBytes() + " bytes wait");
    rig.client.windowUpdate(0, 1 << 30).windowUpdate(1, 1 << 30).send();
    List<String> frames = rig.client.received();
    assertTrue(
        frames.contains("HEADERS 1 grpc-status: 8, grpc-message: answers are not read end"),
        frames.size() + " frames");
  }

  private List<byte[]> reflect(int stream, String version, byte[] request) throws Exception {
    rig.head(
            stream,
            "/grpc.reflection." + version + ".ServerReflection/ServerReflectionInfo",
            "authorization: Bearer secret")
        .data(stream, false, DecisionRig.message(request))
        .send();
    StringBuilder data = new StringBuilder();
    for (String frame : rig.client.received()) {
      if (frame.startsWith("DATA")) {
        data.append(frame.substring(("DATA " + stream + " ").length()));
      }
    }
    rig.client.data(stream, true, "").send();
    assertEquals(List.of("HEADERS " + stream + OK), rig.client.received());
    byte[] all = data.toString().getBytes(StandardCharsets.ISO_8859_1);
    return fields(CodedInputStream.newInstance(all, 5, all.length - 5), List.of(4, 5, 6, 7));
  }

  /** The contents of the first field that is one of these, as fields of their own. */
  private static List<byte[]> fields(CodedInputStream in, List<Integer> of) throws Exception {
    List<byte[]> inner = new ArrayList<>();
    for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
      if (!of.contains(tag >>> 3)) {
        in.skipField(tag);
        continue;
      }
      CodedInputStream within = CodedInputStream.newInstance(in.readByteArray());
      for (int each = within.readTag(); each != 0; each = within.readTag()) {
        if ((each & 7) == 2) {
          inner.add(within.readByteArray());
        } else {
          within.skipField(each);
        }
      }
    }
    return inner;
  }

  /** Whoever builds descriptors of what he is told finds all that they refer to. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "weir.v1.RateLimiter",
        "envoy.service.ratelimit.v3.RateLimitService",
        "grpc.health.v1.Health"
      })
  void describesAServiceWithAllThatItRefersTo(String service) throws Exception {
    byte[] name = service.getBytes(StandardCharsets.US_ASCII);
    byte[] request = new byte[2 + name.length];
    request[0] = 4 << 3 | 2;
    request[1] = (byte) name.length;
    System.arraycopy(name, 0, request, 2, name.length);
    Map<String, FileDescriptorProto> files = new LinkedHashMap<>();
    for (byte[] each : reflect(1, "v1", request)) {
      FileDescriptorProto file = FileDescriptorProto.parseFrom(each);
      assertNull(files.put(file.getName(), file), file.getName());
    }
    FileDescriptor built = build(files.keySet().iterator().next(), files);
    String simple = service.substring(service.lastIndexOf('.') + 1);
    assertTrue(built.findServiceByName(simple).getMethods().size() > 0);
    assertEquals(0, files.size(), "more than it refers to");
  }

  private static FileDescriptor build(String name, Map<String, FileDescriptorProto> files)
      throws Exception {
    FileDescriptorProto file = files.remove(name);
    List<FileDescriptor> needed = new ArrayList<>();
    for (String each : file.getDependencyList()) {
      needed.add(build(each, files));
    }
    return FileDescriptor.buildFrom(file, needed.toArray(FileDescriptor[]::new));
  }

  @Test
  void describesItsServicesInBothVersions() throws Exception {
    int stream = 1;
    for (String version : List.of("v1", "v1alpha")) {
      List<byte[]> services = reflect(stream, version, new byte[] {7 << 3 | 2, 1, '*'});
      assertEquals(
          List.of(
              "envoy.service.ratelimit.v3.RateLimitService",
              "grpc.health.v1.Health",
              "weir.v1.RateLimiter"),
          services.stream().map(each -> new String(each, 2, each.length - 2)).toList());
      byte[] symbol = "\"\u0013weir.v1.RateLimiter".getBytes(StandardCharsets.US_ASCII);
      List<byte[]> files = reflect(stream + 2, version, symbol);
      assertEquals(
          RateLimiterProto.getDescriptor().toProto().getServiceList(),
          FileDescriptorProto.parseFrom(files.get(0)).getServiceList());
      assertTrue(files.size() > 3, "with all that it imports");
      byte[] method = "\"\42weir.v1.RateLimiter.CheckRateLimit".getBytes(StandardCharsets.US_ASCII);
      assertEquals(files.size(), reflect(stream + 4, version, method).size());
      byte[] file =
          "\u001a\u001dgoogle/protobuf/duration.proto".getBytes(StandardCharsets.US_ASCII);
      file[1] = (byte) (file.length - 2);
      assertEquals(1, reflect(stream + 6, version, file).size());
      byte[] none = "\"\u0003x.Y".getBytes(StandardCharsets.US_ASCII);
      assertEquals(
          "x.Y is not known",
          new String(reflect(stream + 8, version, none).get(0), StandardCharsets.US_ASCII));
      stream += 10;
    }
  }

  private static byte[] request(int field, String text) {
    byte[] request = ("\0\0" + text).getBytes(StandardCharsets.US_ASCII);
    request[0] = (byte) (field << 3 | 2);
    request[1] = (byte) text.length();
    return request;
  }

  private String told(int stream, byte[] request) throws Exception {
    List<byte[]> inner = reflect(stream, "v1", request);
    assertEquals(1, inner.size());
    return new String(inner.get(0), StandardCharsets.US_ASCII);
  }

  @Test
  void knowsTypesWithoutExtensionsFromThoseThatAreNone() throws Exception {
    String type = "weir.v1.CheckRateLimitRequest";
    assertEquals(type, told(1, request(6, type)));
    int stream = 3;
    for (String none : List.of("x.Y", "weir.v1.RateLimiter", "weir.v1.State")) {
      assertEquals(none + " is no type of messages here", told(stream, request(6, none)));
      stream += 2;
    }
    assertEquals("there are no extensions", told(stream, request(5, "\n\3x.Y")));
  }

  /**
   * Clients that were given no symbol, or one by another name than they expect, ask for nothing.
   */
  @Test
  void saysWhatARequestThatAsksForNothingLacks() throws Exception {
    assertEquals(
        "message_request: missing (expected: a file's name, a symbol, an extension, a type's name"
            + " or list_services)",
        told(1, new byte[0]));
  }
}
