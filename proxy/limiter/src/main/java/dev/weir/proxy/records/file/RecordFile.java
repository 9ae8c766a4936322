package dev.weir.proxy.records.file;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** A file of lines, which are appended and never changed. Never opened through a link. */
final class RecordFile implements AutoCloseable {
  /** Files of records are for Weir's user alone: they name users. */
  static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

  /** Folders likewise. */
  static final FileAttribute<Set<PosixFilePermission>> FOLDER_OF_OWNER_ONLY =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

  /** The bytes of a line that are read at first. */
  private static final int FIRST_READ_BYTES = 512;

  private final Path path;
  private final FileChannel channel;
  private long size;

  /** Whether a failed write may have left something behind {@link #size}. */
  private boolean isTorn;

  private RecordFile(Path path, FileChannel channel) throws IOException {
    this.path = path;
    this.channel = channel;
    this.size = channel.size();
  }

  /** Opens a file that is there. */
  static RecordFile open(Path path, boolean isWritable) throws IOException {
    return isWritable
        ? open(path, List.of(StandardOpenOption.READ, StandardOpenOption.WRITE))
        : open(path, List.of(StandardOpenOption.READ));
  }

  /** Makes a file that is not there, and makes its name last. */
  static RecordFile create(Path path) throws IOException {
    RecordFile file =
        open(
            path,
            List.of(
                StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW));
    try {
      forceFolder(path.getParent());
    } catch (IOException e) {
      file.close();
      Files.delete(path);
      throw e;
    }
    return file;
  }

  private static RecordFile open(Path path, List<OpenOption> options) throws IOException {
    Set<OpenOption> all = new HashSet<>(options);
    all.add(LinkOption.NOFOLLOW_LINKS);
    return new RecordFile(path, FileChannel.open(path, all, OWNER_ONLY));
  }

  /** Forces names of a folder's files to the disk: of new, renamed and deleted ones. */
  static void forceFolder(Path folder) throws IOException {
    try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }

  Path path() {
    return path;
  }

  /** The offset at which the next line is written. */
  long size() {
    return size;
  }

  /** Returns a reader of the lines from a position. */
  LineReader lines(long position) {
    return new LineReader(channel, position);
  }

  /** Appends bytes, and forces them to the disk: all, or none if it throws. */
  void append(byte[] bytes) throws IOException {
    mend();
    isTorn = true;
    try {
      write(ByteBuffer.wrap(bytes));
      channel.force(false);
    } catch (IOException e) {
      try {
        cut(size);
      } catch (IOException torn) {
        e.addSuppressed(torn);
      }
      throw e;
    }
    isTorn = false;
    size += bytes.length;
  }

  private void write(ByteBuffer bytes) throws IOException {
    long at = size;
    while (bytes.hasRemaining()) {
      at += channel.write(bytes, at);
    }
  }

  /** Removes what a failed write left, if it could not be removed then. */
  void mend() throws IOException {
    if (isTorn) {
      cut(size);
    }
  }

  /** Returns a stream into an empty file; its end forces what was written to the disk. */
  OutputStream output() {
    return new FilterOutputStream(Channels.newOutputStream(channel)) {
      @Override
      public void write(byte[] bytes, int start, int length) throws IOException {
        out.write(bytes, start, length);
      }

      @Override
      public void close() throws IOException {
        channel.force(true);
        size = channel.size();
      }
    };
  }

  /** Removes what is behind a position. */
  void cut(long position) throws IOException {
    channel.truncate(position);
    channel.force(false);
    size = position;
    isTorn = false;
  }

  /**
   * Reads a line.
   *
   * @return its JSON; null if there is no whole line at the position.
   */
  String json(long position) throws IOException {
    for (int count = FIRST_READ_BYTES; count <= LineReader.MOST_LINE_BYTES; count *= 8) {
      byte[] bytes = new byte[count];
      int read = channel.read(ByteBuffer.wrap(bytes), position);
      for (int at = 0; at < read; at++) {
        if (bytes[at] == '\n') {
          return RecordLine.isWhole(bytes, 0, at) ? RecordLine.json(bytes, 0, at) : null;
        }
      }
      if (read < count) {
        return null;
      }
    }
    return null;
  }

  @Override
  public void close() {
    try {
      channel.close();
    } catch (IOException e) {
      // Whatever was acknowledged is on the disk.
    }
  }
}
