package dev.weir.proxy.metrics;

import dev.weir.proxy.request.Glitch;
import dev.weir.proxy.request.Http2Observer;

/**
 * Counts of one event loop's HTTP/2 connections to one side. Every method is called by that loop
 * only and neither allocates, locks nor waits.
 *
 * @param counters the event loop's row.
 */
record Http2Metrics(Counters counters, Http2Figures figures) implements Http2Observer {
  @Override
  public void connectionOpened() {
    counters.increment(figures.connections().word());
  }

  @Override
  public void connectionClosed() {
    counters.increment(figures.connectionsOpen().endedWord());
  }

  @Override
  public void streamOpened() {
    counters.increment(figures.streams().word());
  }

  @Override
  public void streamClosed() {
    counters.increment(figures.streamsOpen().endedWord());
  }

  @Override
  public void resetSent(int errorCode) {
    count(figures.resetsSent(), errorCode);
  }

  @Override
  public void resetReceived(int errorCode) {
    count(figures.resetsReceived(), errorCode);
  }

  @Override
  public void goAwaySent(int errorCode) {
    count(figures.goAwaysSent(), errorCode);
  }

  @Override
  public void goAwayReceived(int errorCode) {
    count(figures.goAwaysReceived(), errorCode);
  }

  @Override
  public void glitch(Glitch glitch) {
    counters.increment(figures.glitches().word() + glitch.ordinal());
  }

  private void count(LoopCounter coded, int errorCode) {
    counters.increment(coded.word() + Http2Figures.place(errorCode));
  }
}
