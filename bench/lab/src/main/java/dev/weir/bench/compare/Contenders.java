package dev.weir.bench.compare;

import dev.weir.proxy.loop.TransportKind;
import java.util.List;

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

  /** The contenders of these names. */
  static List<Contender> of(List<String> names) {
    return ALL.stream().filter(contender -> names.contains(contender.name())).toList();
  }
}
