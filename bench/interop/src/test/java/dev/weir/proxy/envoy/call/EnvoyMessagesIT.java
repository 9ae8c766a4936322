package dev.weir.proxy.envoy.call;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import com.google.protobuf.Duration;
import com.google.protobuf.UInt64Value;
import com.google.protobuf.UnknownFieldSet;
import dev.weir.proxy.control.LimitHeaders;
import dev.weir.proxy.decision.proto.ProtoWriter;
import dev.weir.proxy.envoy.file.DescriptorLimit;
import dev.weir.proxy.envoy.file.LimitOptions;
import dev.weir.proxy.envoy.file.LimitUnit;
import dev.weir.proxy.envoy.file.NodeLimit;
import io.envoyproxy.envoy.config.core.v3.HeaderValue;
import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.Code;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.DescriptorStatus;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.RateLimit;
import io.envoyproxy.envoy.type.v3.RateLimitUnit;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/** Messages of Envoy's rate-limit service, read and written by hand, against its own classes. */
class EnvoyMessagesIT {
  private static final int ROUNDS = 2_000;

  private final Random random = new Random(14);
  private final RequestReader reader = new RequestReader();
  private final RateLimitCall call = new RateLimitCall();
  private final ResponseWriter writer = new ResponseWriter();
  private final ProtoWriter out = new ProtoWriter(5);

  @Test
  void readsWhatTheClassesOfEnvoyWrite() {
    for (int round = 0; round < ROUNDS; round++) {
      RateLimitRequest request = request();
      assertNull(reader.read(new UnsafeBuffer(request.toByteArray()), call), request::toString);
      assertEquals(request.getDomain(), text(call.domainAt(), call.domainLength()));
      assertEquals(request.getDescriptorsCount(), call.descriptorCount());
      for (int i = 0; i < call.descriptorCount(); i++) {
        assertRead(request, i);
      }
    }
  }

  private void assertRead(RateLimitRequest request, int index) {
    RateLimitDescriptor descriptor = request.getDescriptors(index);
    long hits = Integer.toUnsignedLong(request.getHitsAddend());
    long own = descriptor.getHitsAddend().getValue();
    assertEquals(
        descriptor.hasHitsAddend() ? own < 0 ? Long.MAX_VALUE : own : Math.max(1, hits),
        call.hits(index));
    assertEquals(descriptor.getEntriesCount(), call.entryCount(index));
    for (int i = 0; i < descriptor.getEntriesCount(); i++) {
      int entry = call.firstEntry(index) + i;
      assertEquals(
          descriptor.getEntries(i).getKey(), text(call.keyAt(entry), call.keyLength(entry)));
      assertEquals(
          descriptor.getEntries(i).getValue(), text(call.valueAt(entry), call.valueLength(entry)));
    }
    assertEquals(descriptor.hasLimit(), call.hasLimit(index));
    if (descriptor.hasLimit()) {
      long perUnit = Integer.toUnsignedLong(descriptor.getLimit().getRequestsPerUnit());
      assertEquals(perUnit, call.limit(index));
      assertEquals(descriptor.getLimit().getUnitValue(), call.unit(index));
    }
  }

  private String text(int at, int length) {
    DirectBuffer bytes = call.bytes();
    byte[] text = new byte[length];
    bytes.getBytes(at, text);
    return new String(text, StandardCharsets.UTF_8);
  }

  private RateLimitRequest request() {
    RateLimitRequest.Builder request =
        RateLimitRequest.newBuilder().setDomain("d" + text()).setHitsAddend(number());
    int descriptors = 1 + random.nextInt(20);
    for (int i = 0; i < descriptors; i++) {
      RateLimitDescriptor.Builder descriptor = RateLimitDescriptor.newBuilder();
      for (int entries = random.nextInt(5); entries > 0; entries--) {
        descriptor.addEntriesBuilder().setKey(text()).setValue(text());
      }
      if (random.nextInt(4) == 0) {
        descriptor.setHitsAddend(UInt64Value.of(random.nextBoolean() ? 0 : random.nextLong()));
      }
      if (random.nextInt(4) == 0) {
        descriptor
            .getLimitBuilder()
            .setRequestsPerUnit(number())
            .setUnit(RateLimitUnit.forNumber(1 + random.nextInt(6)));
      }
      if (random.nextInt(4) == 0) {
        descriptor.setUnknownFields(unknown());
      }
      request.addDescriptors(descriptor);
    }
    return random.nextBoolean() ? request.setUnknownFields(unknown()).build() : request.build();
  }

  private UnknownFieldSet unknown() {
    return UnknownFieldSet.newBuilder()
        .addField(
            90,
            UnknownFieldSet.Field.newBuilder()
                .addVarint(random.nextLong())
                .addFixed32(5)
                .addFixed64(6)
                .addLengthDelimited(com.google.protobuf.ByteString.copyFromUtf8(text()))
                .addGroup(UnknownFieldSet.getDefaultInstance())
                .build())
        .build();
  }

  private int number() {
    return random.nextInt() >> random.nextInt(32);
  }

  private String text() {
    StringBuilder text = new StringBuilder();
    for (int length = random.nextInt(1 + random.nextInt(40)); length > 0; length--) {
      text.appendCodePoint(random.nextInt(8) == 0 ? 0x1F600 : ' ' + random.nextInt(0x200));
    }
    return text.toString();
  }

  @Test
  void writesWhatTheClassesOfEnvoyWrite() {
    for (int round = 0; round < ROUNDS; round++) {
      int count = 1 + random.nextInt(20);
      RateLimitVerdict verdict = new RateLimitVerdict(null);
      LimitHeaders headers = random.nextBoolean() ? LimitHeaders.OFF : LimitHeaders.X_RATELIMIT;
      verdict.start(count, headers);
      boolean isOver = random.nextBoolean();
      verdict.conclude(isOver, 0);
      RateLimitResponse.Builder response =
          RateLimitResponse.newBuilder().setOverallCode(code(isOver));
      for (int i = 0; i < count; i++) {
        response.addStatuses(status(verdict, i));
      }
      HeaderFields fields = new HeaderFields();
      fields.begin(verdict);
      while (fields.next()) {
        String value = fields.value().getStringWithoutLengthAscii(0, fields.valueLength());
        response.addResponseHeadersToAdd(
            HeaderValue.newBuilder()
                .setKey(new String(fields.name(), StandardCharsets.US_ASCII))
                .setValue(value));
      }
      writer.write(verdict, out.begin());
      byte[] written = Arrays.copyOfRange(out.array(), out.end() - out.length(), out.end());
      assertArrayEquals(response.build().toByteArray(), written);
    }
  }

  private DescriptorStatus status(RateLimitVerdict verdict, int index) {
    DescriptorStatus.Builder status = DescriptorStatus.newBuilder();
    switch (random.nextInt(4)) {
      case 0 -> status.setCode(Code.OK);
      case 1 -> {
        verdict.status(index).unlimited();
        status.setCode(Code.OK).setLimitRemaining(-1);
      }
      default -> {
        boolean isOver = random.nextBoolean();
        int perUnit = number();
        int left = isOver ? 0 : number() >>> 1;
        long resetNs = random.nextLong() >>> 8 + random.nextInt(50);
        LimitUnit unit = LimitUnit.values()[random.nextInt(LimitUnit.values().length)];
        byte[] name = random.nextBoolean() ? new byte[0] : text().getBytes(StandardCharsets.UTF_8);
        boolean isOfFile = random.nextBoolean();
        if (isOfFile) {
          verdict.status(index).limit(node(unit, Integer.toUnsignedLong(perUnit), name));
        } else {
          verdict.status(index).limit(unit, Integer.toUnsignedLong(perUnit));
        }
        verdict.status(index).say(isOver, left, resetNs);
        RateLimit.Builder limit =
            RateLimit.newBuilder().setRequestsPerUnit(perUnit).setUnitValue(unit.number());
        if (isOfFile) {
          limit.setName(new String(name, StandardCharsets.UTF_8));
        }
        status
            .setCode(code(isOver))
            .setCurrentLimit(limit)
            .setLimitRemaining(left)
            .setDurationUntilReset(
                Duration.newBuilder()
                    .setSeconds(resetNs / 1_000_000_000)
                    .setNanos((int) (resetNs % 1_000_000_000)));
      }
    }
    return status.build();
  }

  private static NodeLimit node(LimitUnit unit, long perUnit, byte[] name) {
    DescriptorLimit limit =
        new DescriptorLimit(
            unit, perUnit, false, "", List.of(), false, false, false, LimitOptions.NONE);
    return new NodeLimit(limit, null, 0, List.of(), false, name);
  }

  private static Code code(boolean isOver) {
    return isOver ? Code.OVER_LIMIT : Code.OK;
  }
}
