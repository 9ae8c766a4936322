package dev.weir.bench.fuzz;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.WireFormat;
import dev.weir.proxy.decision.proto.ProtoReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Messages of Protocol Buffers: what is read by hand is what protobuf's own reader finds, field by
 * field. What that refuses is malformed here too; what is only malformed here is a number or a tag
 * of more bits than there are, or a group, which only an unknown field can be.
 */
final class MessageTarget implements Consumer<byte[]> {
  private final ProtoReader reader = new ProtoReader();
  private final ProtoReader text = new ProtoReader();

  /** Whether a field has begun whose value has not been read. */
  private boolean inField;

  @Override
  public void accept(byte[] input) {
    reader.wrap(new UnsafeBuffer(input), 0, input.length);
    CodedInputStream twin = CodedInputStream.newInstance(input);
    boolean isLenient = false;
    inField = false;
    try {
      while (!isLenient) {
        int before = twin.getTotalBytesRead();
        int tag = twin.readTag();
        if (tag == 0) {
          assertEquals(ProtoReader.END, reader.next());
          assertEquals(twin.isAtEnd(), !reader.isMalformed());
          return;
        }
        if (WireFormat.getTagWireType(tag) == WireFormat.WIRETYPE_END_GROUP) {
          throw new InvalidProtocolBufferException("the end of no group");
        }
        isLenient = twin.getTotalBytesRead() - before > 4 || field(tag, twin);
      }
    } catch (InvalidProtocolBufferException refused) {
      drain();
      assertTrue(reader.isMalformed(), refused.toString());
    } catch (IOException impossible) {
      throw new AssertionError(impossible);
    }
    drain(); // nothing is thrown, and it ends
  }

  /** Compares one field; true if the two may differ from now on. */
  private boolean field(int tag, CodedInputStream twin) throws IOException {
    int at = twin.getTotalBytesRead();
    inField = true;
    assertEquals(WireFormat.getTagFieldNumber(tag), reader.next());
    switch (WireFormat.getTagWireType(tag)) {
      case WireFormat.WIRETYPE_VARINT -> {
        long value = twin.readInt64();
        if (twin.getTotalBytesRead() - at == 10) {
          return true;
        }
        assertEquals(value, reader.varint());
      }
      case WireFormat.WIRETYPE_LENGTH_DELIMITED -> {
        byte[] value = twin.readByteArray();
        assertArrayEquals(value, reader.copy());
        text(value);
      }
      case WireFormat.WIRETYPE_START_GROUP -> {
        twin.skipField(tag);
        return true;
      }
      default -> {
        twin.skipField(tag);
        reader.skip();
      }
    }
    inField = false;
    assertFalse(reader.isMalformed(), "of " + tag);
    return false;
  }

  /** The same bytes as a text, which they are if they are UTF-8. */
  private void text(byte[] value) {
    int length = Math.min(127, value.length);
    byte[] one = new byte[2 + length];
    one[0] = 1 << 3 | WireFormat.WIRETYPE_LENGTH_DELIMITED;
    one[1] = (byte) length;
    System.arraycopy(value, 0, one, 2, length);
    text.wrap(new UnsafeBuffer(one), 0, one.length).next();
    text.text();
    boolean isText = true;
    try {
      StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(value, 0, length));
    } catch (CharacterCodingException none) {
      isText = false;
    }
    assertEquals(isText, !text.isMalformed());
  }

  private void drain() {
    if (inField) {
      reader.skip();
    }
    while (reader.next() != ProtoReader.END) {
      reader.skip();
    }
  }
}
