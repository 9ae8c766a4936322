package dev.weir.bench.load;

import dev.weir.proxy.http2.hpack.HpackEncoder;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersEncoder;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2HeadersEncoder;
import io.netty.util.AsciiString;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;

/**
 * The fields of all requests of a run over HTTP/2. Of those whose value differs from one request to
 * the next there are {@value #VALUES}: more than a table has room for, so that none is met again.
 */
final class FieldLines {
  private static final int VALUES = 4096;
  private static final int OVERHEAD_BYTES = 32;
  private static final int INDEXED = 0x80;
  private static final int NAME_INDEX_MASK = 0x0f;

  /** The value of grpc-timeout. */
  private static final long END_OF_TIMEOUT = 100_000_000;

  private static final long SEED = 0x7ACE;

  private final Map<String, FieldLine[]> lines = new HashMap<>();
  private final Map<String, FieldLine.Name> names = new HashMap<>();
  private final DefaultHttp2HeadersEncoder strings =
      new DefaultHttp2HeadersEncoder(Http2HeadersEncoder.ALWAYS_SENSITIVE, true, 16, 0);

  /**
   * The field with a value, which is the only one.
   *
   * @param name in lower case.
   * @param value of the characters U+0000 to U+00FF, a byte each.
   */
  FieldLine[] of(String name, String value) {
    return lines.computeIfAbsent(
        name + "\n" + value, any -> new FieldLine[] {line(name(name), value)});
  }

  /** The field {@code traceparent}, of another trace each. */
  FieldLine[] traces() {
    final SplittableRandom random = new SplittableRandom(SEED);
    return varying(
        "traceparent",
        i ->
            String.format(
                "00-%016x%016x-%016x-01",
                random.nextLong(), random.nextLong() | 1, random.nextLong() | 1));
  }

  /**
   * The field {@code grpc-timeout}, as clients send what is left until a deadline: in the smallest
   * unit that has eight digits for it, and a little less than the whole.
   */
  FieldLine[] deadlines(long timeoutNs) {
    final String unit =
        timeoutNs < END_OF_TIMEOUT ? "n" : timeoutNs < 1_000 * END_OF_TIMEOUT ? "u" : "m";
    final long timeout =
        switch (unit) {
          case "n" -> timeoutNs;
          case "u" -> TimeUnit.NANOSECONDS.toMicros(timeoutNs);
          default -> TimeUnit.NANOSECONDS.toMillis(timeoutNs);
        };
    return varying("grpc-timeout", i -> timeout - 1 - i + unit);
  }

  private FieldLine[] varying(String name, IntFunction<String> values) {
    return lines.computeIfAbsent(
        name,
        any -> {
          final FieldLine[] varying = new FieldLine[VALUES];
          for (int i = 0; i < VALUES; i++) {
            varying[i] = line(name(name), values.apply(i));
          }
          return varying;
        });
  }

  private FieldLine line(FieldLine.Name name, String value) {
    final byte[] field = new HpackEncoder().add(name.text(), value).bytes();
    return new FieldLine(
        name,
        (field[0] & INDEXED) != 0 ? field : null,
        literal(value),
        OVERHEAD_BYTES + name.text().length() + value.length(),
        31 * name.text().hashCode() + value.hashCode());
  }

  private FieldLine.Name name(String text) {
    return names.computeIfAbsent(
        text,
        any -> {
          // No field of the static table has such a value: what comes first is the name's index.
          final byte[] field = new HpackEncoder().add(text, "\n").bytes();
          final int index = field[0] == NAME_INDEX_MASK ? NAME_INDEX_MASK + field[1] : field[0];
          return new FieldLine.Name(text, index, literal(text));
        });
  }

  /** A string in Huffman's code where that is shorter, as RFC 7541, section 5.2, has it. */
  private byte[] literal(String text) {
    final byte[] none = sensitive(AsciiString.EMPTY_STRING);
    final byte[] field = sensitive(new AsciiString(text.getBytes(StandardCharsets.ISO_8859_1)));
    final int nameBytes = none.length - 1;
    final byte[] literal = new byte[field.length - nameBytes];
    System.arraycopy(field, nameBytes, literal, 0, literal.length);
    return literal;
  }

  /** The field x with a value, which is never indexed. */
  private byte[] sensitive(AsciiString value) {
    final ByteBuf block = Unpooled.buffer();
    try {
      strings.encodeHeaders(1, new DefaultHttp2Headers(false).add("x", value), block);
    } catch (Http2Exception e) {
      throw new IllegalStateException(e);
    }
    return ByteBufUtil.getBytes(block);
  }

  /**
   * A field of requests over HTTP/2, in the parts that HPACK (RFC 7541) sends of it. One object per
   * name and value, so that a {@link FieldTable} knows it again.
   *
   * @param name one object per name too.
   * @param indexed how the static table names the whole field; null if it does not.
   * @param value as a string literal.
   */
  record FieldLine(Name name, byte[] indexed, byte[] value, int tableBytes, int hash) {
    /**
     * A field's name.
     *
     * @param staticIndex of a field with that name; 0 if there is none.
     * @param literal as a string literal.
     */
    record Name(String text, int staticIndex, byte[] literal) {}

    // Lines are equal only if they are the same object.
    @Override
    public boolean equals(Object other) {
      return this == other;
    }

    @Override
    public int hashCode() {
      return hash;
    }
  }
}
