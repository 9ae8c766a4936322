package dev.weir.client;

import io.grpc.ServerCall;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Keeps the events of a call until the service listens. */
final class HeldListener<Q> extends ServerCall.Listener<Q> {
  /** The events that may come before the service has requested a message. Guarded by this. */
  private final List<Consumer<ServerCall.Listener<Q>>> events = new ArrayList<>();

  /** Written once, under the lock. */
  private volatile ServerCall.Listener<Q> service;

  /** Passes on the events so far, and all later ones. */
  synchronized void passTo(ServerCall.Listener<Q> listener) {
    events.forEach(event -> event.accept(listener));
    events.clear();
    service = listener;
  }

  private void tell(Consumer<ServerCall.Listener<Q>> event) {
    ServerCall.Listener<Q> listener = service;
    if (listener == null) {
      synchronized (this) {
        listener = service;
        if (listener == null) {
          events.add(event);
          return;
        }
      }
    }
    event.accept(listener);
  }

  @Override
  public void onMessage(Q message) {
    tell(listener -> listener.onMessage(message));
  }

  @Override
  public void onHalfClose() {
    tell(ServerCall.Listener::onHalfClose);
  }

  @Override
  public void onCancel() {
    tell(ServerCall.Listener::onCancel);
  }

  @Override
  public void onComplete() {
    tell(ServerCall.Listener::onComplete);
  }

  @Override
  public void onReady() {
    tell(ServerCall.Listener::onReady);
  }
}
