package dev.weir.proxy.decision.v1;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Timestamp;
import com.google.protobuf.WireFormat;
import dev.weir.v1.CheckRateLimitRequest;
import dev.weir.v1.Dimension;
import dev.weir.v1.GetRemainingQuotaRequest;
import dev.weir.v1.Identity;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/** Our reader of requests beside the generated one, on random messages. */
class AskedCheckTest {
  private static final int ROUNDS = 20_000;

  private final Random random = new Random(14);
  private final AskedCheck before = new AskedCheck();
  private AskedCheck asked = new AskedCheck();

  private boolean read(byte[] message) {
    // In the midst of other bytes, as a message lies in what was read.
    byte[] all = new byte[message.length + 7];
    random.nextBytes(all);
    System.arraycopy(message, 0, all, 3, message.length);
    return asked.read(new UnsafeBuffer(all), 3, message.length, true);
  }

  private String text(AskedCheck.Text text) {
    return text(asked, text);
  }

  private static String text(AskedCheck of, AskedCheck.Text text) {
    byte[] bytes = new byte[text.length()];
    of.bytes().getBytes(text.offset(), bytes);
    return new String(bytes, StandardCharsets.UTF_8);
  }

  private void assertSame(CheckRateLimitRequest expected) {
    assertEquals(expected.getIdentifier(), text(asked.identifier(0)));
    assertEquals(expected.getDimensionValue(), asked.dimension(0));
    assertEquals(expected.getDimensionName(), text(asked.dimensionName(0)));
    assertEquals(1 + expected.getOtherIdentitiesCount(), asked.identityCount());
    for (int i = 0; i < Math.min(6, expected.getOtherIdentitiesCount()); i++) {
      Identity identity = expected.getOtherIdentities(i);
      assertEquals(identity.getIdentifier(), text(asked.identifier(1 + i)));
      assertEquals(identity.getDimensionValue(), asked.dimension(1 + i));
      assertEquals(identity.getDimensionName(), text(asked.dimensionName(1 + i)));
    }
    assertEquals(expected.getEndpoint(), text(asked.endpoint()));
    assertEquals(expected.getMethod(), text(asked.method()));
    assertEquals(expected.getCost(), asked.cost());
    assertEquals(expected.hasClientTime(), asked.hasClientTime());
    assertEquals(expected.getClientTime().getSeconds(), asked.clientSeconds());
    assertEquals(expected.getClientTime().getNanos(), asked.clientNanos());
    assertEquals(expected.getIdempotencyKey(), text(asked.idempotencyKey()));
    assertEquals(expected.getRuleId(), text(asked.ruleId()));
    assertEquals(expected.getRequireRule(), asked.requiresRule());
  }

  private String text() {
    return switch (random.nextInt(5)) {
      case 0 -> "";
      case 1 -> "\u0000\n\ud83d\ude00\u00e9\u20ac";
      case 2 -> "x".repeat(random.nextInt(300));
      default -> "user-" + random.nextInt(1000);
    };
  }

  private long number() {
    return switch (random.nextInt(4)) {
      case 0 -> 0;
      case 1 -> random.nextInt(300);
      case 2 -> random.nextLong();
      default -> -random.nextInt(10);
    };
  }

  /** The fields of a message, each coded by itself: some twice, some that nobody knows. */
  private List<byte[]> fields() {
    List<byte[]> fields = new ArrayList<>();
    for (int i = random.nextInt(14); i > 0; i--) {
      CheckRateLimitRequest.Builder one = CheckRateLimitRequest.newBuilder();
      switch (random.nextInt(12)) {
        case 0 -> one.setIdentifier(text());
        case 1 -> one.setDimensionValue((int) number());
        case 2 -> one.setDimensionName(text());
        case 3 ->
            one.addOtherIdentities(
                Identity.newBuilder().setIdentifier(text()).setDimension(Dimension.IP));
        case 4 -> one.setEndpoint("/" + text());
        case 5 -> one.setMethod(text());
        case 6 -> one.setCost(number());
        case 7 ->
            one.setClientTime(Timestamp.newBuilder().setSeconds(number()).setNanos((int) number()));
        case 8 -> one.setIdempotencyKey(text());
        case 9 -> one.setRuleId(text());
        case 10 -> one.setRequireRule(true);
        default -> {
          fields.add(unknown());
          continue;
        }
      }
      fields.add(one.build().toByteArray());
    }
    return fields;
  }

  private byte[] unknown() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    CodedOutputStream out = CodedOutputStream.newInstance(bytes);
    int field = 12 + random.nextInt(100_000);
    try {
      switch (random.nextInt(5)) {
        case 0 -> out.writeUInt64(field, random.nextLong());
        case 1 -> out.writeFixed32(field, random.nextInt());
        case 2 -> out.writeFixed64(field, random.nextLong());
        case 3 -> out.writeBytes(field, ByteString.copyFromUtf8(text()));
        default -> {
          out.writeTag(field, WireFormat.WIRETYPE_START_GROUP);
          out.writeUInt64(1, 7);
          out.writeTag(field, WireFormat.WIRETYPE_END_GROUP);
        }
      }
      out.flush();
    } catch (IOException impossible) {
      throw new AssertionError(impossible);
    }
    return bytes.toByteArray();
  }

  private static byte[] join(List<byte[]> fields) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    fields.forEach(bytes::writeBytes);
    return bytes.toByteArray();
  }

  @Test
  void readsWhatTheGeneratedReaderReadsInAnyOrder() throws InvalidProtocolBufferException {
    for (int round = 0; round < ROUNDS; round++) {
      List<byte[]> fields = fields();
      Collections.shuffle(fields, random);
      byte[] message = join(fields);
      assertTrue(read(message));
      assertSame(CheckRateLimitRequest.parseFrom(message));
    }
  }

  /**
   * Checks that are asked together: of one that is like the one before no more is read than that.
   */
  @Test
  void readsACheckBehindAnotherAsTheGeneratedReaderDoesWhateverTheyHaveInCommon()
      throws InvalidProtocolBufferException {
    int alike = 0;
    int refused = 0;
    for (int round = 0; round < ROUNDS; round++) {
      List<byte[]> fields = fields();
      byte[] one = join(withIdentifier(fields));
      if (random.nextInt(3) == 0) {
        Collections.shuffle(fields, random);
        fields.addAll(fields());
      }
      byte[] other = join(withIdentifier(fields));
      boolean isSpoiled = other.length > 0 && random.nextInt(8) == 0;
      if (isSpoiled) {
        other[random.nextInt(other.length)] ^= (byte) (1 << random.nextInt(8));
      }
      UnsafeBuffer all = new UnsafeBuffer(join(List.of(one, other)));
      assertTrue(before.read(all, 0, one.length, null));
      asked = new AskedCheck();
      boolean isRead = asked.read(all, one.length, other.length, before);
      AskedCheck alone = new AskedCheck();
      assertEquals(alone.read(all, one.length, other.length, true), isRead);
      alike += asked.terms() == before.terms() ? 1 : 0;
      if (!isRead) {
        refused++;
      } else if (isSpoiled) { // of which the generated reader may take more
        assertEquals(text(alone, alone.identifier(0)), text(asked.identifier(0)));
        assertEquals(text(alone, alone.endpoint()), text(asked.endpoint()));
        assertEquals(alone.cost(), asked.cost());
      } else {
        assertSame(CheckRateLimitRequest.parseFrom(other));
      }
    }
    assertTrue(alike > ROUNDS / 10, alike + " alike");
    assertTrue(refused > ROUNDS / 50, refused + " refused");
  }

  /** Mostly in front of the others, as all libraries write it. */
  private List<byte[]> withIdentifier(List<byte[]> fields) {
    List<byte[]> all = new ArrayList<>(fields);
    byte[] identifier =
        CheckRateLimitRequest.newBuilder().setIdentifier(text()).build().toByteArray();
    all.add(random.nextInt(5) == 0 ? all.size() / 2 : 0, identifier);
    return all;
  }

  /**
   * A message that is cut or spoiled is read by both or refused by both; but that a field of
   * another type is malformed here, where the generated reader takes it for unknown.
   */
  @Test
  void refusesWhatTheGeneratedReaderRefuses() {
    int refused = 0;
    for (int round = 0; round < ROUNDS; round++) {
      byte[] message = join(fields());
      if (message.length == 0) {
        continue;
      }
      byte[] spoiled = Arrays.copyOf(message, 1 + random.nextInt(message.length));
      if (random.nextBoolean()) {
        spoiled[random.nextInt(spoiled.length)] ^= (byte) (1 << random.nextInt(8));
      }
      boolean isRead = read(spoiled);
      try {
        CheckRateLimitRequest expected = CheckRateLimitRequest.parseFrom(spoiled);
        if (isRead) {
          assertEquals(expected.getIdentifier(), text(asked.identifier(0)));
          assertEquals(expected.getEndpoint(), text(asked.endpoint()));
          assertEquals(expected.getRuleId(), text(asked.ruleId()));
          // Of a number in ten bytes the generated reader does not look at the last.
          assertEquals(expected.getCost() << 1, asked.cost() << 1);
        } else {
          assertFalse(
              hasNoLongNumber(spoiled)
                  && expected.getUnknownFields().asMap().keySet().stream().noneMatch(f -> f <= 11)
                  && expected.getOtherIdentitiesList().stream()
                      .allMatch(identity -> identity.getUnknownFields().asMap().isEmpty())
                  && expected.getClientTime().getUnknownFields().asMap().isEmpty(),
              () -> "refused: " + HexFormat.of().formatHex(spoiled));
        }
      } catch (InvalidProtocolBufferException malformed) {
        assertFalse(isRead, () -> HexFormat.of().formatHex(spoiled));
        refused++;
      }
    }
    assertTrue(refused > ROUNDS / 10, refused + " refused");
  }

  /** Whether no number takes ten bytes: a last one above 1 is malformed here. */
  private static boolean hasNoLongNumber(byte[] message) {
    int run = 0;
    for (byte b : message) {
      run = b < 0 ? run + 1 : 0;
      if (run >= 9) {
        return false;
      }
    }
    return true;
  }

  @Test
  void readsNoMoreOfAQuestionThatIsNoCheckThanItHas() throws InvalidProtocolBufferException {
    byte[] message =
        CheckRateLimitRequest.newBuilder()
            .setIdentifier("ann")
            .setCost(7)
            .setIdempotencyKey("k")
            .setRequireRule(true)
            .setRuleId("r")
            .build()
            .toByteArray();
    assertTrue(asked.read(new UnsafeBuffer(message), 0, message.length, false));
    GetRemainingQuotaRequest expected = GetRemainingQuotaRequest.parseFrom(message);
    assertEquals(expected.getRuleId(), text(asked.ruleId()));
    assertEquals(0, asked.cost());
    assertEquals(0, asked.idempotencyKey().length());
    assertFalse(asked.requiresRule());
  }
}
