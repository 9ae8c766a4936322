package dev.weir.proxy.virtual;

import dev.weir.proxy.virtual.VirtualSocket.End;
import java.util.ArrayList;
import java.util.List;

/** Connections of one address, more than it may have, which say nothing. */
final class Crowd implements Actor {
  private final List<VirtualSocket> sockets = new ArrayList<>();

  Crowd(World world) {
    int most = world.mostOfAddress();
    for (int i = 0; i < most + most / 4; i++) {
      sockets.add(world.connectCrowd());
    }
    world.loop.turn();
    long kept = sockets.stream().filter(Crowd::isKept).count();
    if (kept > most) {
      throw new AssertionError(kept + " connections of one address are kept, of " + most);
    }
  }

  @Override
  public void step(Choices choices) {
    // The connections say nothing.
  }

  @Override
  public boolean settle() {
    return sockets.removeIf(Crowd::hasEnded);
  }

  /** Whether nobody has told it anything. */
  private static boolean isKept(VirtualSocket socket) {
    return socket.far().readable() == 0 && socket.far().ended() == End.NONE;
  }

  private static boolean hasEnded(VirtualSocket socket) {
    ByteQueue unused = new ByteQueue();
    socket.far().read(unused, socket.far().readable());
    boolean hasEnded = socket.far().ended() != End.NONE;
    if (hasEnded) {
      socket.far().close();
    }
    return hasEnded;
  }

  @Override
  public void check() {
    if (!sockets.isEmpty()) {
      throw new AssertionError(sockets.size() + " connections of one address are left alone");
    }
  }
}
