package dev.weir.bench.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.DescriptorProtos.DescriptorProto;
import com.google.protobuf.DescriptorProtos.EnumDescriptorProto;
import com.google.protobuf.DescriptorProtos.EnumValueDescriptorProto;
import com.google.protobuf.DescriptorProtos.FieldDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorSet;
import com.google.protobuf.DescriptorProtos.ServiceDescriptorProto;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.UInt64Value;
import dev.weir.proxy.control.Faults;
import dev.weir.proxy.control.SettingsFlags;
import dev.weir.proxy.wiring.Sidecar;
import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.Code;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.RateLimit.Unit;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitServiceGrpc;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitServiceGrpc.RateLimitServiceBlockingStub;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Envoy's own stubs, by grpc-java, ask a sidecar as they would ask envoyproxy/ratelimit. */
class EnvoyRateLimitIT {
  @TempDir private Path folder;
  private Sidecar sidecar;
  private ManagedChannel channel;
  private RateLimitServiceBlockingStub stub;

  @BeforeEach
  void start() throws Exception {
    write(2);
    startOn(folder);
  }

  private void startOn(Path limits) throws Exception {
    Faults faults = Faults.ofFlags();
    Map<String, String> flags =
        Map.of(
            "--decision", "127.0.0.1:0",
            "--ratelimit-config", limits.toString(),
            "--admin", "off",
            "--event-loops", "1",
            "--table.keys", "1000");
    sidecar = Sidecar.start(SettingsFlags.read(flags, faults));
    int port = ((InetSocketAddress) sidecar.decisionAddresses().get(0)).getPort();
    channel = NettyChannelBuilder.forAddress("127.0.0.1", port).usePlaintext().build();
    stub = RateLimitServiceGrpc.newBlockingStub(channel);
  }

  @AfterEach
  void stop() {
    channel.shutdownNow();
    sidecar.close();
  }

  private void write(int requestsPerUnit) throws Exception {
    writeLimit(folder.resolve("edge.yaml"), requestsPerUnit);
  }

  private static void writeLimit(Path file, int requestsPerUnit) throws Exception {
    Files.writeString(
        file,
        """
        domain: edge
        descriptors:
          - key: user
            rate_limit: {unit: year, requests_per_unit: %d, name: per_user}
          - key: open
            rate_limit: {unlimited: yes}
        """
            .formatted(requestsPerUnit));
  }

  private static RateLimitDescriptor.Builder descriptor(String key, String value) {
    RateLimitDescriptor.Builder descriptor = RateLimitDescriptor.newBuilder();
    descriptor.addEntriesBuilder().setKey(key).setValue(value);
    return descriptor;
  }

  private static RateLimitRequest.Builder request(RateLimitDescriptor.Builder... descriptors) {
    RateLimitRequest.Builder request = RateLimitRequest.newBuilder().setDomain("edge");
    for (RateLimitDescriptor.Builder descriptor : descriptors) {
      request.addDescriptors(descriptor);
    }
    return request;
  }

  private RateLimitResponse ask(RateLimitRequest.Builder request) {
    return stub.withDeadlineAfter(60, TimeUnit.SECONDS).shouldRateLimit(request.build());
  }

  @Test
  void getsAStatusForEachDescriptorInTheirOrder() {
    RateLimitRequest.Builder request =
        request(descriptor("open", "x"), descriptor("none", "x"), descriptor("user", "ann"));
    RateLimitResponse response = ask(request);
    assertEquals(Code.OK, response.getOverallCode());
    assertEquals(3, response.getStatusesCount());
    assertEquals(-1, response.getStatuses(0).getLimitRemaining());
    assertFalse(response.getStatuses(1).hasCurrentLimit());
    RateLimitResponse.DescriptorStatus user = response.getStatuses(2);
    assertEquals(1, user.getLimitRemaining());
    assertEquals(2, user.getCurrentLimit().getRequestsPerUnit());
    assertEquals(Unit.YEAR, user.getCurrentLimit().getUnit());
    assertEquals("per_user", user.getCurrentLimit().getName());
    assertTrue(user.getDurationUntilReset().getSeconds() > 0);
    ask(request);
    RateLimitResponse refused = ask(request);
    assertEquals(Code.OVER_LIMIT, refused.getOverallCode());
    assertEquals(Code.OK, refused.getStatuses(0).getCode());
    assertEquals(Code.OVER_LIMIT, refused.getStatuses(2).getCode());
  }

  @Test
  void looksWithNoHitsAndIsToldWhatWasReported() {
    RateLimitDescriptor.Builder look = descriptor("user", "bob").setHitsAddend(UInt64Value.of(0));
    assertEquals(2, ask(request(look)).getStatuses(0).getLimitRemaining());
    ask(request(descriptor("user", "bob")).setHitsAddend(5));
    assertEquals(Code.OVER_LIMIT, ask(request(look)).getOverallCode());
  }

  @Test
  void isToldWhatIsWrongWithACall() {
    StatusRuntimeException none = assertThrows(StatusRuntimeException.class, () -> ask(request()));
    assertEquals(Status.Code.INVALID_ARGUMENT, none.getStatus().getCode());
    assertEquals("descriptors: none (expected: 1 or more)", none.getStatus().getDescription());
    RateLimitDescriptor.Builder noUnit = descriptor("user", "eve");
    noUnit.getLimitBuilder().setRequestsPerUnit(5);
    StatusRuntimeException unit =
        assertThrows(StatusRuntimeException.class, () -> ask(request(noUnit)));
    assertEquals(Status.Code.INVALID_ARGUMENT, unit.getStatus().getCode());
  }

  /** What reflection tells of the service, as the build has compiled it. */
  private static Map<String, FileDescriptorProto> described() throws Exception {
    try (InputStream in =
        Sidecar.class.getResourceAsStream("/dev/weir/proxy/decision/grpc/services.binpb")) {
      return FileDescriptorSet.parseFrom(in).getFileList().stream()
          .collect(Collectors.toMap(FileDescriptorProto::getName, file -> file));
    }
  }

  @Test
  void describesMessagesAsEnvoysOwnClassesHaveThem() throws Exception {
    Map<String, FileDescriptorProto> described = described();
    Set<String> compared = new HashSet<>();
    compare(RateLimitRequest.getDescriptor(), described, compared);
    compare(RateLimitResponse.getDescriptor(), described, compared);
    assertEquals(10, compared.size(), compared.toString());
    MethodDescriptor<?, ?> method = RateLimitServiceGrpc.getShouldRateLimitMethod();
    ServiceDescriptorProto service =
        described.get("envoy/service/ratelimit/v3/rls.proto").getService(0);
    assertEquals(
        method.getFullMethodName(),
        "envoy.service.ratelimit.v3." + service.getName() + "/" + service.getMethod(0).getName());
  }

  /** Every field of ours is one of theirs, and so is what it is made of. */
  private static void compare(
      Descriptor theirs, Map<String, FileDescriptorProto> described, Set<String> compared) {
    FileDescriptorProto file = described.get(theirs.getFile().getName());
    if (!compared.add(theirs.getFullName())) {
      return;
    }
    DescriptorProto ours = message(theirs, file);
    for (FieldDescriptorProto field : ours.getFieldList()) {
      FieldDescriptor of = theirs.findFieldByNumber(field.getNumber());
      String where = theirs.getFullName() + "." + field.getName();
      assertEquals(of.getName(), field.getName(), where);
      assertEquals(of.toProto().getType(), field.getType(), where);
      assertEquals(of.toProto().getLabel(), field.getLabel(), where);
      assertEquals(of.toProto().getTypeName(), field.getTypeName(), where);
      if (of.getJavaType() == FieldDescriptor.JavaType.MESSAGE) {
        compare(of.getMessageType(), described, compared);
      }
    }
    for (EnumDescriptorProto each : ours.getEnumTypeList()) {
      for (EnumValueDescriptorProto value : each.getValueList()) {
        EnumValueDescriptor of =
            theirs.findEnumTypeByName(each.getName()).findValueByNumber(value.getNumber());
        assertEquals(of.getName(), value.getName(), theirs.getFullName());
      }
    }
  }

  private static DescriptorProto message(Descriptor of, FileDescriptorProto in) {
    List<DescriptorProto> among =
        of.getContainingType() == null
            ? in.getMessageTypeList()
            : message(of.getContainingType(), in).getNestedTypeList();
    return among.stream().filter(each -> each.getName().equals(of.getName())).findAny().get();
  }

  /**
   * A volume of a ConfigMap: files are links into {@code ..data}, which is a link itself and is put
   * in the place of the last one by a rename. Meanwhile there are calls.
   */
  @Test
  void followsAVolumeOfKubernetesWhileCallsGoOn(@TempDir Path volume) throws Exception {
    stop();
    for (int version = 1; version <= 2; version++) {
      Path data = Files.createDirectory(volume.resolve("..2026_" + version));
      writeLimit(data.resolve("edge.yaml"), version == 1 ? 1_000_000 : 2_000_000);
    }
    Files.createSymbolicLink(volume.resolve("..data"), Path.of("..2026_1"));
    Files.createSymbolicLink(volume.resolve("edge.yaml"), Path.of("..data", "edge.yaml"));
    startOn(volume);
    RateLimitRequest request = request(descriptor("user", "eva")).build();
    AtomicBoolean isOver = new AtomicBoolean();
    AtomicLong calls = new AtomicLong();
    CompletableFuture<Void> load =
        CompletableFuture.runAsync(
            () -> {
              while (!isOver.get()) {
                RateLimitResponse response =
                    stub.withDeadlineAfter(60, TimeUnit.SECONDS).shouldRateLimit(request);
                assertEquals(Code.OK, response.getOverallCode());
                RateLimitResponse.DescriptorStatus status = response.getStatuses(0);
                long perUnit = status.getCurrentLimit().getRequestsPerUnit();
                assertEquals(calls.incrementAndGet(), perUnit - status.getLimitRemaining());
                isOver.compareAndSet(false, perUnit == 2_000_000);
              }
            });
    Path next = Files.createSymbolicLink(volume.resolve("..data_tmp"), Path.of("..2026_2"));
    Files.move(next, volume.resolve("..data"), StandardCopyOption.ATOMIC_MOVE);
    try {
      load.get(60, TimeUnit.SECONDS);
    } finally {
      isOver.set(true);
    }
  }

  @Test
  void followsTheFilesWhileItRunsAndKeepsTheCount() throws Exception {
    ask(request(descriptor("user", "dan")));
    Files.writeString(folder.resolve("broken.yaml"), "domain: [");
    write(7);
    RateLimitRequest.Builder look =
        request(descriptor("user", "dan").setHitsAddend(UInt64Value.of(0)));
    assertEquals(1, ask(look).getStatuses(0).getLimitRemaining());
    Files.delete(folder.resolve("broken.yaml"));
    long untilNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (ask(look).getStatuses(0).getLimitRemaining() != 6) {
      assertTrue(System.nanoTime() < untilNs, "the file is not read again");
    }
  }
}
