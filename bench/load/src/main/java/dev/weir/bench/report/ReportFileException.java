package dev.weir.bench.report;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;

/**
 * A file of a report that cannot be read or written. The message is for whoever named the file: it
 * says which, where in it, and what is wrong or was expected.
 */
public final class ReportFileException extends IOException {
  private static final long serialVersionUID = 1;

  ReportFileException(String message) {
    super(message);
  }

  private ReportFileException(String message, IOException cause) {
    super(message, cause);
  }

  static ReportFileException notWritten(Path file, IOException cause) {
    return new ReportFileException(file + ": cannot be written: " + reason(cause), cause);
  }

  static ReportFileException notRead(Path file, IOException cause) {
    return new ReportFileException(file + ": cannot be read: " + reason(cause), cause);
  }

  /** A file has something else at a place than it should have. */
  static ReportFileException malformed(Path file, long line, String found, String expected) {
    return new ReportFileException(
        file + ":" + line + ": " + found + " (expected: " + expected + ")");
  }

  // The messages of most of these are nothing but the file's name.
  private static String reason(IOException cause) {
    if (cause instanceof NoSuchFileException) {
      return "no such file or folder";
    }
    if (cause instanceof FileAlreadyExistsException || cause instanceof NotDirectoryException) {
      return "a file is where its folder should be";
    }
    if (cause instanceof AccessDeniedException) {
      return "access denied";
    }
    if (cause instanceof FileSystemException fault && fault.getReason() != null) {
      return fault.getReason();
    }
    return cause.getMessage() == null ? cause.toString() : cause.getMessage();
  }
}
