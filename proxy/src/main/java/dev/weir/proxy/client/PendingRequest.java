package dev.weir.proxy.client;

import dev.weir.proxy.http1.RequestHead;
import dev.weir.proxy.http1.RequestSink;
import dev.weir.proxy.http1.ResponseSink;
import dev.weir.proxy.request.Admission;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;

/**
 * The request in flight on one connection, until it has an upstream connection: the head that is to
 * go there, the client out of whose share the connection comes, and what the request was charged as
 * long as that may go back. Its body waits in {@link RequestBody}.
 */
final class PendingRequest {
  private final ClientLoop loop;
  private ByteBuf head;
  private boolean upgrade;
  private long client;
  private int charge = Admission.NOTHING_KEPT;

  PendingRequest(ClientLoop loop) {
    this.loop = loop;
  }

  void start(RequestHead scanned) {
    upgrade = scanned.upgrade();
    client = loop.clientKeys.of(scanned.view());
  }

  /** Whether there is neither an upstream connection for it nor a place to wait for one. */
  boolean findsNoConnection() {
    return loop.origin.isFull(client, upgrade);
  }

  /** Writes the head that goes to the upstream from the one that was scanned last. */
  void writeHead(Channel channel, ByteBuf in, int headLength, byte[] peerText) {
    head = channel.alloc().directBuffer(loop.headWriter.bound(headLength, peerText));
    loop.headWriter.write(loop.head, in, in.readerIndex(), headLength, peerText, head);
  }

  /** Asks for an upstream connection; whether it has to wait for one, maybe in vain. */
  boolean open(ResponseSink sink) {
    return loop.origin.open(sink, client);
  }

  /** Sends the head. From here on the service may know of the request, and its charge is spent. */
  void sendTo(RequestSink upstream, boolean headMethod) {
    letChargeStand();
    ByteBuf sent = head;
    head = null;
    upstream.writeHead(sent, headMethod, upgrade);
  }

  /** What was charged for the verdict given last may have to go back. */
  void keepCharge() {
    if (charge == Admission.NOTHING_KEPT) {
      charge = loop.admission.keep();
    }
  }

  /** The service will not hear of it, and it is not the client's doing. */
  void giveBackCharge() {
    if (charge != Admission.NOTHING_KEPT) {
      loop.admission.giveBack(charge);
      charge = Admission.NOTHING_KEPT;
    }
  }

  private void letChargeStand() {
    if (charge != Admission.NOTHING_KEPT) {
      loop.admission.letStand(charge);
      charge = Admission.NOTHING_KEPT;
    }
  }

  /** It goes nowhere. */
  void discard() {
    letChargeStand();
    if (head != null) {
      head.release();
      head = null;
    }
  }
}
