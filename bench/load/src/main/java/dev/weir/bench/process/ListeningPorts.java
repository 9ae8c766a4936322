package dev.weir.bench.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** The ports of TCP that this machine's processes listen on, as Linux lists them. */
final class ListeningPorts {
  /** Sockets of IPv6 may be bound to addresses of IPv4 too. */
  private static final List<Path> LISTS =
      List.of(Path.of("/proc/net/tcp"), Path.of("/proc/net/tcp6"));

  private static final String LISTENING = "0A";

  private ListeningPorts() {}

  static boolean include(int port) {
    return LISTS.stream().anyMatch(list -> includes(lines(list), port));
  }

  private static List<String> lines(Path list) {
    try {
      return Files.readAllLines(list);
    } catch (NoSuchFileException e) {
      return List.of();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Whether lines as those of proc(5), /proc/net/tcp, have a socket that listens there. */
  static boolean includes(List<String> lines, int port) {
    final String suffix = String.format(Locale.ROOT, ":%04X", port);
    for (String line : lines) {
      final String[] fields = line.trim().split(" +");
      if (fields.length > 3 && fields[1].endsWith(suffix) && fields[3].equals(LISTENING)) {
        return true;
      }
    }
    return false;
  }
}
