package dev.weir.proxy.records.file;

import dev.weir.proxy.records.RecordStoreException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Holds a folder for one process at a time: a lock on its file {@code lock}, which says who has it.
 * The kernel releases it when the process ends, however it ends; the file stays.
 */
final class FolderLock implements AutoCloseable {
  /**
   * Folders of this process: the kernel's lock is the process's, and closing any channel ends it.
   */
  private static final Set<Path> HELD = ConcurrentHashMap.newKeySet();

  private final Path folder;
  private final FileChannel file;

  private FolderLock(Path folder, FileChannel file) {
    this.folder = folder;
    this.file = file;
  }

  /**
   * Takes a folder.
   *
   * @param folder its real path.
   * @throws RecordStoreException if another has it, with its process.
   * @throws IOException if the folder cannot be written.
   */
  static FolderLock take(Path folder) throws RecordStoreException, IOException {
    if (!HELD.add(folder)) {
      throw new RecordStoreException(folder + " is in use by this process");
    }
    FileChannel file = null;
    try {
      file =
          FileChannel.open(
              folder.resolve("lock"),
              Set.of(
                  StandardOpenOption.READ,
                  StandardOpenOption.WRITE,
                  StandardOpenOption.CREATE,
                  LinkOption.NOFOLLOW_LINKS),
              RecordFile.OWNER_ONLY);
      FileLock lock = file.tryLock();
      if (lock == null) {
        throw new RecordStoreException(
            folder + " is in use by process " + Files.readString(folder.resolve("lock")).strip());
      }
      file.truncate(0);
      file.write(
          ByteBuffer.wrap(
              (ProcessHandle.current().pid() + "\n").getBytes(StandardCharsets.US_ASCII)),
          0);
      return new FolderLock(folder, file);
    } catch (RecordStoreException | IOException e) {
      HELD.remove(folder);
      if (file != null) {
        file.close();
      }
      throw e;
    }
  }

  @Override
  public void close() {
    try {
      file.close();
    } catch (IOException e) {
      // The lock is gone all the same.
    }
    HELD.remove(folder);
  }
}
