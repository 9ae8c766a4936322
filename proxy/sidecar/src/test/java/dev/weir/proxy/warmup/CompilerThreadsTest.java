package dev.weir.proxy.warmup;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CompilerThreadsTest {
  @TempDir private Path threads;

  private void thread(String id, String name) throws IOException {
    Files.writeString(Files.createDirectory(threads.resolve(id)).resolve("comm"), name + "\n");
  }

  @Test
  void areThoseOfTheSecondCompilerAlone() throws IOException {
    thread("7", "java");
    thread("11", "C2 CompilerThre");
    thread("12", "C1 CompilerThre");
    thread("13", "weir-loop-1-1");
    Files.createDirectory(threads.resolve("14")); // has ended meanwhile
    assertEquals(List.of("11"), CompilerThreads.ids(threads));
  }
}
