package dev.weir.proxy.upstream.h2;

import dev.weir.proxy.loop.Deadlines;
import dev.weir.proxy.upstream.UpstreamLoop;

/**
 * One exchange's wait for its service: since when, and for {@code timeouts.response} at most.
 * Looked at for as long as its event loop runs, as whoever waits is used again.
 */
abstract class ServiceWait extends Deadlines.Waiter {
  private final UpstreamLoop loop;
  private boolean isOn;
  private long sinceNs;

  ServiceWait(UpstreamLoop loop) {
    this.loop = loop;
  }

  /**
   * The service has its time anew.
   *
   * @param isAwaited whether it is what is waited for.
   */
  final void beginAnew(boolean isAwaited) {
    isOn = isAwaited;
    sinceNs = loop.clock().nowNs();
    deadline(isOn ? sinceNs + loop.settings().timeouts().responseNs() : Deadlines.NEVER);
  }

  /** Nothing is waited for. */
  final void end() {
    isOn = false;
    deadline(Deadlines.NEVER);
  }

  /** Whether it is the service that is waited for. */
  final boolean isOn() {
    return isOn;
  }

  /** Since when, or when that was looked at last. */
  final long sinceNs() {
    return sinceNs;
  }
}
