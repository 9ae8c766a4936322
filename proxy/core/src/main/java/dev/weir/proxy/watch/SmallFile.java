package dev.weir.proxy.watch;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** Reads whole files of settings and secrets, which are small. */
public final class SmallFile {
  public static final int MAX_BYTES = 1 << 20;

  private SmallFile() {}

  /**
   * Reads a file. Nothing is read of a pipe, which would have its reader wait.
   *
   * @param expected the kind of file for a person, such as {@code a file}.
   * @throws IOException if it cannot be read; its message says why and what was expected, and names
   *     neither the file nor anything in it.
   */
  public static byte[] read(Path path, String expected) throws IOException {
    if (Files.exists(path) && !Files.isRegularFile(path)) {
      throw fault(Files.isDirectory(path) ? "a directory" : "no file", expected);
    }
    try (InputStream in = Files.newInputStream(path)) {
      byte[] content = in.readNBytes(MAX_BYTES + 1);
      if (content.length <= MAX_BYTES) {
        return content;
      }
    } catch (NoSuchFileException gone) {
      throw fault("not found", expected);
    } catch (AccessDeniedException denied) {
      throw fault("permission denied", "a file that this process may read");
    } catch (IOException failed) {
      throw fault("cannot be read: " + failed.getMessage(), expected);
    }
    throw fault("larger than 1MiB", "at most 1MiB");
  }

  private static IOException fault(String problem, String expected) {
    return new IOException(problem + " (expected: " + expected + ")");
  }
}
