package dev.weir.proxy.control;

import java.nio.file.Path;
import java.util.List;

/** The clients that pass before any rule, and those that are refused. */
public record ListSettings(AddressListSettings allow, AddressListSettings block) {
  private static final AddressListSettings EMPTY = new AddressListSettings(List.of(), List.of());

  /** Nobody is on a list. */
  public static final ListSettings NONE = new ListSettings(EMPTY, EMPTY);

  /** Whether a list names a file. */
  public boolean hasFiles() {
    return !allow.files().isEmpty() || !block.files().isEmpty();
  }

  /** The files of both lists. */
  List<List<Path>> files() {
    return List.of(allow.files(), block.files());
  }
}
