package dev.weir.bench.decision;

import dev.weir.proxy.request.Glitch;
import dev.weir.proxy.request.Http2Observer;

/** Counts nothing of what happens on connections. */
final class UntoldObserver implements Http2Observer {
  @Override
  public void connectionOpened() {
    // Not counted.
  }

  @Override
  public void connectionClosed() {
    // Not counted.
  }

  @Override
  public void streamOpened() {
    // Not counted.
  }

  @Override
  public void streamClosed() {
    // Not counted.
  }

  @Override
  public void resetSent(int errorCode) {
    // Not counted.
  }

  @Override
  public void resetReceived(int errorCode) {
    // Not counted.
  }

  @Override
  public void goAwaySent(int errorCode) {
    // Not counted.
  }

  @Override
  public void goAwayReceived(int errorCode) {
    // Not counted.
  }

  @Override
  public void glitch(Glitch glitch) {
    // Not counted.
  }
}
