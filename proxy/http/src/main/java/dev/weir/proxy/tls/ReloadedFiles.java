package dev.weir.proxy.tls;

import java.nio.file.Path;
import java.util.List;

/** Files that are read again when they change. */
public interface ReloadedFiles {
  /** All files that it is read from. */
  List<Path> files();

  /**
   * Reads the files again, and uses their contents from now on.
   *
   * @return what is used now, for the log.
   * @throws TlsFault if they cannot be used; nothing has changed then.
   */
  String reload() throws TlsFault;

  /**
   * Does what is due by now; told every second or so, by the thread that follows the files.
   *
   * @param nowNs of {@link System#nanoTime}.
   */
  default void pass(long nowNs) {}
}
