package dev.weir.proxy.loop;

/** A setting: which of the kernel's interfaces input and output go through. */
public enum TransportKind {
  /** The first of the others that this machine gives. */
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
