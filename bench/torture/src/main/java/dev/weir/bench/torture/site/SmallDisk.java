package dev.weir.bench.torture.site;

import dev.weir.bench.process.Programs;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A folder that can be filled: a small disk of its own where this may mount one (as root). It goes
 * by {@link #close}, and with this process.
 */
final class SmallDisk implements AutoCloseable {
  private static final String SIZE = "8m";
  private static final int PIECE_BYTES = 4_096;

  private final Path folder;
  private final Path filler;
  private final Thread ending = new Thread(this::unmount);
  private boolean isMounted;

  private SmallDisk(Path folder, boolean isMounted) {
    this.folder = folder;
    this.isMounted = isMounted;
    filler = folder.resolve("filler");
    if (isMounted) {
      Runtime.getRuntime().addShutdownHook(ending);
    }
  }

  /**
   * A disk at an empty folder.
   *
   * @param isToBeFilled whether it has to be a small one; otherwise it stays a folder.
   */
  static SmallDisk at(Path folder, boolean isToBeFilled) {
    return new SmallDisk(folder, isToBeFilled && mount(folder));
  }

  private static boolean mount(Path folder) {
    try {
      Programs.output(
          List.of("mount", "-t", "tmpfs", "-o", "size=" + SIZE, "tmpfs", folder.toString()));
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  Path folder() {
    return folder;
  }

  boolean canBeFilled() {
    return isMounted;
  }

  /** Leaves not a byte free. */
  void fill() throws IOException {
    try (OutputStream out = Files.newOutputStream(filler)) {
      while (true) {
        out.write(new byte[PIECE_BYTES]);
      }
    } catch (IOException e) {
      if (!String.valueOf(e.getMessage()).contains("No space left")) {
        throw e;
      }
    }
  }

  /** Makes room again. */
  void free() throws IOException {
    Files.deleteIfExists(filler);
  }

  @Override
  public void close() {
    unmount();
    try {
      Runtime.getRuntime().removeShutdownHook(ending);
    } catch (IllegalStateException e) {
      // This process ends: the hook finds nothing to do.
    }
  }

  private synchronized void unmount() {
    if (isMounted) {
      isMounted = false;
      try {
        Programs.output(List.of("umount", "--lazy", folder.toString()));
      } catch (IOException e) {
        throw new IllegalStateException("still mounted: " + folder, e);
      }
    }
  }
}
