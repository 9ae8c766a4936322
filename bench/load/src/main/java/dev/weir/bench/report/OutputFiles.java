package dev.weir.bench.report;

import java.io.BufferedOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Files that appear together or not at all: each is written beside its place, and moved there once
 * all are whole. A place that holds something else than a file, as {@code /dev/stdout} does, is
 * written to at once. Every failure is a {@link ReportFileException}.
 */
final class OutputFiles implements AutoCloseable {
  private final Map<Path, Path> places = new LinkedHashMap<>();

  /** Writes the content of a file. The stream is buffered, and closed by the caller. */
  interface Content {
    void writeTo(OutputStream out) throws IOException;
  }

  /** Writes a file beside its place, in a folder that is made where there is none. */
  void write(Path file, Content content) throws ReportFileException {
    try {
      if (Files.exists(file) && !Files.isRegularFile(file)) {
        writeWhole(file, content);
        return;
      }
      final Path place = place(file);
      // Not a temporary file of the JDK, which nobody else could read once it is in its place.
      final Path beside =
          place.resolveSibling(
              "." + place.getFileName() + "." + ProcessHandle.current().pid() + ".part");
      places.put(beside, place);
      writeWhole(beside, content);
    } catch (IOException e) {
      throw ReportFileException.notWritten(file, e);
    }
  }

  void write(Path file, String text) throws ReportFileException {
    write(file, out -> out.write(text.getBytes(StandardCharsets.UTF_8)));
  }

  void publish() throws ReportFileException {
    for (Map.Entry<Path, Path> entry : places.entrySet()) {
      try {
        Files.move(entry.getKey(), entry.getValue(), StandardCopyOption.REPLACE_EXISTING);
      } catch (IOException e) {
        throw ReportFileException.notWritten(entry.getValue(), e);
      }
    }
    places.clear();
  }

  @Override
  public void close() throws ReportFileException {
    for (Path beside : places.keySet()) {
      try {
        Files.deleteIfExists(beside);
      } catch (IOException e) {
        throw ReportFileException.notWritten(beside, e);
      }
    }
  }

  // A link keeps pointing at the file: what it points at is replaced.
  private static Path place(Path file) throws IOException {
    if (Files.exists(file, LinkOption.NOFOLLOW_LINKS) && Files.exists(file)) {
      return file.toRealPath();
    }
    final Path place = file.toAbsolutePath();
    Files.createDirectories(place.getParent());
    return place;
  }

  private static void writeWhole(Path file, Content content) throws IOException {
    try (KeptFailure kept = new KeptFailure(Files.newOutputStream(file))) {
      // Not closed: that would close the one below, whose failure is yet to be asked for.
      final OutputStream out = new BufferedOutputStream(kept, 1 << 16);
      content.writeTo(out);
      out.flush();
      kept.check();
    }
  }

  /** Keeps the failure that a {@code PrintStream} above it, as HdrHistogram's, would swallow. */
  private static final class KeptFailure extends FilterOutputStream {
    private IOException failure;

    KeptFailure(OutputStream out) {
      super(out);
    }

    @Override
    public void write(int value) throws IOException {
      write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      try {
        out.write(bytes, offset, length);
      } catch (IOException e) {
        failure = e;
        throw e;
      }
    }

    void check() throws IOException {
      if (failure != null) {
        throw failure;
      }
    }
  }
}
