package dev.weir.bench.fuzz;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.request.TargetNormaliser;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The path of a request: normalised twice it is as it was once, never longer, the same in place as
 * apart, and free of everything by which two servers could mean two resources.
 */
final class PathTarget implements Consumer<byte[]> {
  @Override
  public void accept(byte[] input) {
    UnsafeBuffer source = new UnsafeBuffer(input);
    UnsafeBuffer apart = new UnsafeBuffer(new byte[input.length]);
    int result = TargetNormaliser.normalise(source, 0, input.length, apart, 0);
    byte[] copy = input.clone();
    UnsafeBuffer inPlace = new UnsafeBuffer(copy);
    assertEquals(result, TargetNormaliser.normalise(inPlace, 0, copy.length, inPlace, 0));
    if (result < 0) {
      return;
    }
    int length = result == TargetNormaliser.ALREADY_NORMAL ? input.length : result;
    UnsafeBuffer normal = result == TargetNormaliser.ALREADY_NORMAL ? source : apart;
    assertTrue(length >= 1 && length <= input.length, () -> "length " + length);
    byte[] bytes = new byte[length];
    normal.getBytes(0, bytes);
    String path = new String(bytes, StandardCharsets.ISO_8859_1);
    assertEquals(path, new String(copy, 0, length, StandardCharsets.ISO_8859_1));
    UnsafeBuffer again = new UnsafeBuffer(new byte[length]);
    UnsafeBuffer once = new UnsafeBuffer(bytes);
    int second = TargetNormaliser.normalise(once, 0, length, again, 0);
    if (second > 0) { // written anew, and the same
      byte[] twice = new byte[second];
      again.getBytes(0, twice);
      assertEquals(path, new String(twice, StandardCharsets.ISO_8859_1));
    } else {
      assertEquals(TargetNormaliser.ALREADY_NORMAL, second, path);
    }
    assertTrue(path.matches("/[\\x21-\\x7e]*"), path);
    assertFalse(path.matches("(?s).*(//|/\\.\\.?(/|$)|[\\\\#?]).*"), path);
    assertFalse(path.matches("(?is).*%(2f|5c|00|3b|2e|[46][1-9a-f]|[57][0-9a]|3[0-9]).*"), path);
  }
}
