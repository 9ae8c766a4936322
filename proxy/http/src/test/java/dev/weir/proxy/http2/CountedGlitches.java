package dev.weir.proxy.http2;

import dev.weir.proxy.request.Glitch;
import dev.weir.proxy.request.Http2Observer;
import java.util.EnumMap;
import java.util.Map;

/** Counts what a connection's peer does wrong, and what is open. */
final class CountedGlitches implements Http2Observer {
  final Map<Glitch, Integer> glitches = new EnumMap<>(Glitch.class);
  int openConnections;
  int openStreams;

  @Override
  public void connectionOpened() {
    openConnections++;
  }

  @Override
  public void connectionClosed() {
    openConnections--;
  }

  @Override
  public void streamOpened() {
    openStreams++;
  }

  @Override
  public void streamClosed() {
    openStreams--;
  }

  @Override
  public void resetSent(int errorCode) {}

  @Override
  public void resetReceived(int errorCode) {}

  @Override
  public void goAwaySent(int errorCode) {}

  @Override
  public void goAwayReceived(int errorCode) {}

  @Override
  public void glitch(Glitch glitch) {
    glitches.merge(glitch, 1, Integer::sum);
  }
}
