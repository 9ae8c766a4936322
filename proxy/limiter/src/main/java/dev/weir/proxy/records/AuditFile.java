package dev.weir.proxy.records;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.weir.proxy.log.Incident;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.slf4j.LoggerFactory;

/**
 * A copy of the audit for programs that collect logs: a line for each entry that this process
 * wrote. Opened for each write, so it can be moved away at any time. The audit does not depend on
 * it: while it cannot be written the log says so, and an export has what is missing.
 */
public final class AuditFile {
  private final Path path;
  private final Incident fault;
  private boolean isTorn;

  /**
   * @param path is made if it is not there.
   */
  public AuditFile(Path path) {
    this.path = path;
    this.fault =
        new Incident(
            LoggerFactory.getLogger(AuditFile.class),
            "audit file " + path,
            "its entries are in the audit only, see weir audit export",
            "written again",
            Incident.Ends.BY_WORD);
  }

  /** Adds entries. */
  public synchronized void append(List<AuditEntry> entries) {
    ByteArrayOutputStream lines = new ByteArrayOutputStream();
    if (isTorn) {
      lines.write('\n');
    }
    for (AuditEntry entry : entries) {
      lines.writeBytes((entry.toJson() + "\n").getBytes(US_ASCII));
    }
    isTorn = true;
    try (OutputStream file =
        Files.newOutputStream(path, StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
      lines.writeTo(file);
      isTorn = false;
      fault.ended();
    } catch (IOException e) {
      fault.noticed(e.toString());
    }
  }
}
