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
    return read(path, expected, MAX_BYTES);
  }

  /** Reads a file of at most so many bytes, whole MiB; see {@link #read(Path, String)}. */
  public static byte[] read(Path path, String expected, int maxBytes) throws IOException {
    if (Files.exists(path) && !Files.isRegularFile(path)) {
      throw fault(Files.isDirectory(path) ? "a directory" : "no file", expected);
    }
    try (InputStream in = Files.newInputStream(path)) {
      byte[] content = in.readNBytes(maxBytes + 1);
      if (content.length <= maxBytes) {
        return content;
      }
    } catch (NoSuchFileException gone) {
      throw fault("not found", expected);
    } catch (AccessDeniedException denied) {
      throw fault("permission denied", "a file that this process may read");
    } catch (IOException failed) {
      throw fault("cannot be read: " + failed.getMessage(), expected);
    }
    String most = (maxBytes >> 20) + "MiB";
    throw fault("larger than " + most, "at most " + most);
  }

  private static IOException fault(String problem, String expected) {
    return new IOException(problem + " (expected: " + expected + ")");
  }
}
