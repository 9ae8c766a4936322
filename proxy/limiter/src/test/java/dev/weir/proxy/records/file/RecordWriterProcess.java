package dev.weir.proxy.records.file;

import dev.weir.proxy.records.Author;
import dev.weir.proxy.records.RecordName;
import dev.weir.proxy.records.RecordStoreException;
import dev.weir.proxy.records.RecordWrite;
import java.nio.file.Path;
import java.time.Clock;

/**
 * A process that writes records {@code 0, 1, 2, ...} into a folder, says each number once it was
 * acknowledged, and waits at the first write that fails.
 */
final class RecordWriterProcess {
  private RecordWriterProcess() {}

  public static void main(String[] arguments) throws Exception {
    Author author = new Author("writer", "", "", "x".repeat(200));
    try (FileRecordStore store =
        FileRecordStore.open(Path.of(arguments[0]), Clock.systemUTC(), null)) {
      for (int i = 0; ; i++) {
        try {
          store.writeUser(
              new RecordWrite(new RecordName(RecordName.Kind.USER, "u" + i), null, "" + i), author);
        } catch (RecordStoreException e) {
          System.out.println(e.getMessage());
          System.out.println("users " + store.users(null, 1_000_000).users().size());
          return;
        }
        System.out.println(i);
      }
    }
  }
}
