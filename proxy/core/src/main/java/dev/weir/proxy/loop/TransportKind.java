package dev.weir.proxy.loop;

/** The setting for the kernel interface of input and output. */
public enum TransportKind {
  /** The first of the others that works on this machine. */
  AUTO("auto"),
  IO_URING("io_uring"),
  EPOLL("epoll"),
  NIO("nio");

  private final String text;

  TransportKind(String text) {
    this.text = text;
  }

  /** The name in files and on the command line. */
  @Override
  public String toString() {
    return text;
  }
}
