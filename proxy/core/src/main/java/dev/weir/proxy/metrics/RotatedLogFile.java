package dev.weir.proxy.metrics;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Objects;

/**
 * A file that grows by whole lines, and that others may move away or empty meanwhile: whoever
 * rotates logs need not tell anybody. Not thread-safe.
 */
final class RotatedLogFile implements AutoCloseable {
  /** Longer lines than any that are written. */
  private static final int MOST_TAIL_BYTES = 1 << 20;

  private final Path path;

  /** The open file; null while there is none, as the last try to open it failed. */
  private FileChannel channel;

  private boolean isRegular;
  private Object fileKey;

  /** Whether a header is due, as nothing was written since the file was opened. */
  private boolean isFresh;

  /**
   * Opens a file or makes it.
   *
   * @throws IOException if it cannot be written, or is a file with something else in it.
   */
  RotatedLogFile(Path path) throws IOException {
    this.path = path;
    open();
  }

  private void open() throws IOException {
    cutTornLine();
    channel =
        FileChannel.open(
            path, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.APPEND);
    BasicFileAttributes file = Files.readAttributes(path, BasicFileAttributes.class);
    isRegular = file.isRegularFile();
    fileKey = file.fileKey();
    isFresh = true;
  }

  /** Half a line, which a crash can leave behind, would keep readers from all after it. */
  private void cutTornLine() throws IOException {
    if (!Files.isRegularFile(path) || Files.size(path) == 0) {
      return;
    }
    try (FileChannel file =
        FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      long sizeBytes = file.size();
      ByteBuffer first = ByteBuffer.allocate(1);
      file.read(first, 0);
      ByteBuffer tail = ByteBuffer.allocate((int) Math.min(sizeBytes, MOST_TAIL_BYTES));
      long tailStart = sizeBytes - tail.capacity();
      while (tail.hasRemaining() && file.read(tail, tailStart + tail.position()) > 0) {}
      int end = tail.position();
      while (end > 0 && tail.get(end - 1) != '\n') {
        end--;
      }
      if (first.get(0) != '#' || end == 0 && tailStart > 0) {
        throw new FileSystemException(path.toString(), null, "it holds something else");
      }
      file.truncate(tailStart + end);
    }
  }

  /**
   * Makes ready for the next lines: opens the file again if it is another one by now.
   *
   * @return whether a header must come first.
   */
  boolean prepare() throws IOException {
    if (channel != null && !Objects.equals(fileKey, currentKey())) {
      close();
    }
    if (channel == null) {
      open();
    }
    return isFresh || isRegular && channel.size() == 0;
  }

  private Object currentKey() throws IOException {
    try {
      return Files.readAttributes(path, BasicFileAttributes.class).fileKey();
    } catch (NoSuchFileException moved) {
      return null;
    }
  }

  /** Writes all of some lines, or, as far as that can be had, nothing. */
  void append(byte[] lines) throws IOException {
    long sizeBytes = channel.size();
    try {
      ByteBuffer rest = ByteBuffer.wrap(lines);
      while (rest.hasRemaining()) {
        channel.write(rest);
      }
    } catch (IOException failed) {
      takeBack(sizeBytes, failed);
      throw failed;
    }
    isFresh = false;
  }

  private void takeBack(long sizeBytes, IOException failed) {
    try {
      if (isRegular) {
        channel.truncate(sizeBytes);
      }
    } catch (IOException stays) {
      failed.addSuppressed(stays);
    }
  }

  @Override
  public void close() throws IOException {
    FileChannel old = channel;
    channel = null;
    if (old != null) {
      old.close();
    }
  }
}
