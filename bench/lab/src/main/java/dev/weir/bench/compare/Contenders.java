package dev.weir.bench.compare;

import dev.weir.proxy.loop.TransportKind;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** All that can be compared. */
final class Contenders {
  /** In the order in which they take turns. */
  static final List<Contender> ALL =
      List.of(
          new Nginx(),
          new HaProxy(),
          new WeirSidecar(TransportKind.IO_URING),
          new WeirSidecar(TransportKind.EPOLL));

  private Contenders() {}

  static List<String> names() {
    return ALL.stream().map(Contender::name).toList();
  }

  /**
   * The contenders of these names.
   *
   * @param earlier where the launcher of another version of Weir is, which takes part on the same
   *     transports; null if none does.
   */
  static List<Contender> of(List<String> names, Path earlier) {
    return ALL.stream()
        .filter(contender -> names.contains(contender.name()))
        .flatMap(
            contender ->
                earlier != null && contender instanceof WeirSidecar weir
                    ? Stream.of(weir.earlier(earlier), weir)
                    : Stream.of(contender))
        .toList();
  }
}
