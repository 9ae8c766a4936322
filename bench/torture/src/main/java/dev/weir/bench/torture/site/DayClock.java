package dev.weir.bench.torture.site;

import dev.weir.bench.process.Programs;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;

/**
 * The time of day of one process, which can be set while it runs: by a library that is loaded
 * before the C library, and compiled here. Without a C compiler it cannot be set.
 */
final class DayClock {
  private static final String COMPILER = "cc";

  private final Path library;
  private final Path file;

  private DayClock(Path library, Path file) {
    this.library = library;
    this.file = file;
  }

  /** The library; null where there is no compiler for it. */
  static Path compile(Path folder) throws IOException {
    final Path source = folder.resolve("clock.c");
    final Path library = folder.resolve("clock.so");
    try (InputStream text = DayClock.class.getResourceAsStream("clock.c")) {
      Files.copy(text, source);
    }
    try {
      Programs.output(
          List.of(
              COMPILER, "-shared", "-fPIC", "-O2", "-o", library.toString(), source.toString()));
      return library;
    } catch (IOException e) {
      return null;
    }
  }

  /**
   * The clock of a process that is about to start.
   *
   * @param library of {@link #compile}; null for a clock that cannot be set.
   * @param file keeps what is added to the time; made here.
   */
  static DayClock of(Path library, Path file) throws IOException {
    final DayClock clock = new DayClock(library, file);
    Files.write(file, new byte[Long.BYTES]);
    return clock;
  }

  /** The environment that the process is to be started with. */
  Map<String, String> environment() {
    return library == null
        ? Map.of()
        : Map.of("LD_PRELOAD", library.toString(), "WEIR_TORTURE_CLOCK", file.toString());
  }

  boolean canBeSet() {
    return library != null;
  }

  /** Sets it so far from the machine's; 0 for the same. */
  void set(long aheadNs) throws IOException {
    // Mapped by the process: written in place.
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.write(
          ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder()).putLong(0, aheadNs));
    }
  }
}
