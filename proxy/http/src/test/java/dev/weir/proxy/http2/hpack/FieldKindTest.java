package dev.weir.proxy.http2.hpack;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

class FieldKindTest {
  @Test
  void eachConstantIsItsNamesNumber() throws IllegalAccessException {
    for (Field field : FieldKind.class.getDeclaredFields()) {
      if (!Modifier.isPublic(field.getModifiers()) || field.getName().equals("COUNT")) {
        continue;
      }
      final int kind = field.getInt(null);
      final String name = FieldKind.name(kind);
      switch (field.getName()) {
        case "UNKNOWN" -> assertEquals("", name);
        case "X_ENVOY" -> assertEquals("x-envoy-", name);
        case "CONTENT_LENGTH_LOOKALIKE" -> assertEquals("content_length", name);
        case "TRANSFER_ENCODING_LOOKALIKE" -> assertEquals("transfer_encoding", name);
        default ->
            assertEquals(
                field.getName().toLowerCase(Locale.ROOT).replace('_', '-'),
                name.startsWith(":") ? name.substring(1) : name);
      }
    }
  }

  @Test
  void eachNameIsFoundAndItsNeighboursAreNot() {
    for (int kind = 1; kind < FieldKind.COUNT; kind++) {
      final String name = FieldKind.name(kind);
      assertEquals(kind, kind(name));
      if (kind != FieldKind.X_ENVOY) {
        assertEquals(FieldKind.UNKNOWN, kind(name + "x"));
        assertEquals(FieldKind.UNKNOWN, kind("x" + name));
        assertEquals(FieldKind.UNKNOWN, kind(name.toUpperCase(Locale.ROOT)));
      }
    }
    assertEquals(FieldKind.UNKNOWN, kind(""));
    assertEquals(FieldKind.X_ENVOY, kind("x-envoy-attempt"));
  }

  private static int kind(String name) {
    final UnsafeBuffer bytes = new UnsafeBuffer(name.getBytes(StandardCharsets.US_ASCII));
    return KnownFields.kind(bytes, 0, name.length());
  }
}
