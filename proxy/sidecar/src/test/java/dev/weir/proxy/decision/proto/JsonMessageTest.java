package dev.weir.proxy.decision.proto;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.decision.proto.JsonMessage.BadJsonException;
import java.nio.charset.StandardCharsets;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JsonMessageTest {
  private static final JsonMessage INNER = new JsonMessage().text("a_text", 1);

  private static final JsonMessage MESSAGE =
      new JsonMessage()
          .int64("signed", 1)
          .uint32("un_signed", 2)
          .uint64Value("wrapped", 3)
          .messages("inner_ones", 4, INNER);

  private static ProtoWriter read(String json) throws BadJsonException {
    ProtoWriter written = new ProtoWriter(0);
    MESSAGE.read(new UnsafeBuffer(json.getBytes(StandardCharsets.UTF_8)), written);
    return written;
  }

  private static long number(String json) throws BadJsonException {
    ProtoWriter written = read(json);
    UnsafeBuffer bytes = new UnsafeBuffer(written.array(), 0, written.length());
    ProtoReader reader = new ProtoReader().wrap(bytes, 0, written.length());
    int field = reader.next();
    if (field == 3) {
      ProtoReader wrapped = new ProtoReader();
      reader.message(wrapped);
      return wrapped.next() == ProtoReader.END ? 0 : wrapped.varint();
    }
    return field == ProtoReader.END ? 0 : reader.varint();
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '`',
      delimiter = '|',
      value = {
        "{\"signed\":-9223372036854775808}|-9223372036854775808",
        "{\"signed\":\"9223372036854775807\"}|9223372036854775807",
        "{\"signed\":1.50e2}|150",
        "{\"signed\":null}|0",
        "{\"unSigned\":4294967295}|4294967295",
        "{\"un_signed\":\"0\"}|0",
        "{\"wrapped\":18446744073709551615}|-1",
        "{\"wrapped\":0}|0",
      })
  void takesWholeNumbersWithinBounds(String json, long number) throws BadJsonException {
    assertEquals(number, number(json));
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '`',
      delimiter = '|',
      value = {
        "{\"signed\":9223372036854775808}|signed: 9223372036854775808 (expected",
        "{\"unSigned\":4294967296}|unSigned: 4294967296 (expected: a whole number from 0 to"
            + " 4294967295)",
        "{\"unSigned\":-1}|unSigned: -1 (expected",
        "{\"wrapped\":1e999999999}|wrapped: 1e999999999 (expected",
        "{\"signed\":\"٣\"}|signed: ٣ (expected",
        "{\"signed\":[]}|signed: [ (expected",
        "{\"inner_ones\":[{\"a_text\":\"x\"},{\"aText\":2}]}|inner_ones[1].aText: a number (expected:"
            + " a text)",
        "{\"inner_ones\":[1]}|inner_ones[0]: a number (expected: an object)",
        "{\"other\":1}|other: unknown (expected: signed, un_signed, wrapped or inner_ones)",
        "{\"a\\u001bb\":1}|a?b: unknown",
        "{\"unSigned\":1,\"un_signed\":1}|un_signed: in both spellings (expected: one)",
      })
  void saysWhichFieldIsWrong(String json, String fault) {
    String message = assertThrows(BadJsonException.class, () -> read(json)).getMessage();
    assertTrue(message.startsWith(fault), message);
  }

  @Test
  void endsWhereNestingDoesNot() {
    assertThrows(BadJsonException.class, () -> read("{\"inner_ones\":" + "[".repeat(100_000)));
  }
}
