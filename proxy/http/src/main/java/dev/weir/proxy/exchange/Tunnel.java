package dev.weir.proxy.exchange;

import dev.weir.proxy.loop.ChannelIo;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;

/**
 * The tunnel that an exchange becomes once the service accepts an upgrade: bytes in both
 * directions, each of which ends by itself. Bytes that the client sends earlier are held, as a
 * service that does not accept would read them as its next request.
 *
 * <p>When the process ends, the client of a WebSocket gets a Close frame with status 1001 (RFC
 * 6455, section 7.4.1). It is sent between two frames of the service, so those are followed, and
 * nothing of the service comes behind it. The client's answer goes to the service, which then
 * closes its side.
 */
final class Tunnel {
  /** A Close frame: 1001, going away. */
  private static final byte[] GOING_AWAY = {(byte) 0x88, 2, 1001 >> 8, (byte) 1001};

  private enum Farewell {
    NONE,
    /** The Close frame is sent where the service's present frame ends. */
    DUE,
    SAID
  }

  private final WebSockets webSockets;
  private final ClientSide client;
  private final ServiceLink service;
  private final HeldBytes held;
  private final RequestTimes times;

  /** Null if the tunnel is no WebSocket. */
  private final WebSocketFrames frames;

  private boolean isOpen;
  private boolean clientEnded;
  private boolean serviceEnded;
  private ByteBuf early;
  private Farewell farewell = Farewell.NONE;

  /** Bytes of the Close frame that the client holds, behind all bytes of the service. */
  private int ownHeldBytes;

  Tunnel(
      RequestLoop loop,
      ClientSide client,
      ServiceLink service,
      HeldBytes held,
      RequestTimes times,
      boolean isWebSocket) {
    this.webSockets = loop.webSockets;
    this.client = client;
    this.service = service;
    this.held = held;
    this.times = times;
    frames = isWebSocket ? new WebSocketFrames() : null;
  }

  /** Takes over bytes that the client sends before the service has accepted. */
  void hold(ByteBuf bytes, boolean end) {
    early = ChannelIo.append(early, bytes);
    clientEnded |= end;
  }

  /** The service accepts: it gets the held bytes. */
  void open() {
    isOpen = true;
    await();
    if (early != null) {
      ByteBuf bytes = early;
      early = null;
      int length = bytes.readableBytes();
      int consumed = length - service.data(bytes, clientEnded);
      held.addRequest(-consumed);
      if (consumed > 0) {
        client.requestConsumed(consumed);
      }
    }
    if (frames != null) {
      webSockets.opened(this);
    }
  }

  /** Takes over {@code bytes} of the client's, and returns how many of them are held. */
  int fromClient(ByteBuf bytes, boolean end) {
    clientEnded |= end;
    return service.data(bytes, end);
  }

  /** Takes no more bytes from the client. */
  void endClientSide() {
    clientEnded = true;
  }

  /** Takes over {@code bytes} of the service's, and returns how many of them are held. */
  int fromService(ByteBuf bytes, boolean end) {
    serviceEnded |= end;
    if (hasEnded()) {
      service.ended(); // what the client takes from here on is nothing to it
    }
    if (farewell != Farewell.NONE) {
      return untilFarewell(bytes, end);
    }
    if (frames != null) {
      frames.follow(bytes);
    }
    return hold(client.responseData(bytes, end));
  }

  private int untilFarewell(ByteBuf bytes, boolean end) {
    int heldBytes = 0;
    if (farewell == Farewell.DUE) {
      int length = frames.followToEnd(bytes);
      if (length == bytes.readableBytes() && !frames.isBetweenFrames()) {
        return hold(client.responseData(bytes, end));
      }
      heldBytes = hold(client.responseData(bytes.readRetainedSlice(length), false));
      sayFarewell();
    }
    bytes.release();
    if (end) {
      client.responseData(Unpooled.EMPTY_BUFFER, true);
    }
    return heldBytes;
  }

  /** Sends the client of a WebSocket a Close frame, as soon as one may be sent. */
  void goAway() {
    if (farewell == Farewell.NONE && !serviceEnded) {
      farewell = Farewell.DUE;
      if (frames.isBetweenFrames()) {
        sayFarewell();
        client.flushResponse();
      }
    }
  }

  private void sayFarewell() {
    farewell = Farewell.SAID;
    ownHeldBytes = client.responseData(goingAway(), false);
    held.addResponse(ownHeldBytes);
    times.awaitClient(); // to end its side
  }

  private static ByteBuf goingAway() {
    return ByteBufAllocator.DEFAULT.directBuffer(GOING_AWAY.length).writeBytes(GOING_AWAY);
  }

  private int hold(int bytes) {
    if (bytes > 0) {
      held.addResponse(bytes);
      times.awaitClient();
    }
    return bytes;
  }

  /** How many of the bytes that the client has consumed were the service's. */
  int consumedOfService(int bytes) {
    int own = Math.max(0, ownHeldBytes - held.ofResponse());
    ownHeldBytes -= own;
    return bytes - own;
  }

  /** Waits for bytes in either direction, or for the client to answer the Close frame. */
  void await() {
    if (farewell != Farewell.SAID) {
      times.awaitTunnel();
    }
  }

  /** Whether both sides have ended. */
  boolean hasEnded() {
    return clientEnded && serviceEnded;
  }

  /** The request has ended. */
  void end() {
    if (early != null) {
      early.release();
      early = null;
    }
    if (isOpen && frames != null) {
      webSockets.ended(this);
    }
  }
}
