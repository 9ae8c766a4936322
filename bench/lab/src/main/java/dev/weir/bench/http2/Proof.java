package dev.weir.bench.http2;

import java.io.IOException;
import java.nio.file.Path;

/** Something that a sidecar is to withstand. */
interface Proof {
  /**
   * Has a sidecar withstand it.
   *
   * @param folder for files; its own.
   * @param report gets what was found.
   * @throws IOException with the reason, if the sidecar does not withstand it.
   */
  void run(Path folder, ProofReport report) throws IOException;
}
