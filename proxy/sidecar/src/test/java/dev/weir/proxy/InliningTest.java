package dev.weir.proxy;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * What HotSpot's compilers are told by {@code src/main/jvm/inlining}, by which a JVM says nothing.
 */
class InliningTest {
  private static final String COMMAND = "dontinline ";

  @Test
  void everyMethodThatIsNotToBeInlinedIsThere() throws IOException, ClassNotFoundException {
    List<String> methods =
        Files.readAllLines(Path.of("src/main/jvm/inlining")).stream()
            .filter(line -> line.startsWith(COMMAND))
            .map(line -> line.substring(COMMAND.length()))
            .toList();
    assertTrue(!methods.isEmpty());
    for (String each : methods) {
      String[] parts = each.split("::");
      Class<?> holder = Class.forName(parts[0], false, InliningTest.class.getClassLoader());
      assertTrue(
          Arrays.stream(holder.getDeclaredMethods())
              .anyMatch(method -> method.getName().equals(parts[1])),
          each + " (expected: a method of that class)");
    }
  }
}
