package dev.weir.proxy.downstream.h1;

import dev.weir.proxy.downstream.ClientLoop;
import dev.weir.proxy.downstream.answer.RateLimitFields;
import dev.weir.proxy.downstream.answer.RefusalWriter;
import dev.weir.proxy.http1.ChunkScanner;
import dev.weir.proxy.http1.RequestHead;
import dev.weir.proxy.http1.TrailerSection;
import org.agrona.concurrent.UnsafeBuffer;

/** The parts that HTTP/1.1 connections of one event loop's clients share; that loop uses them. */
public final class Http1ClientLoop {
  final ClientLoop clients;

  /** Input that waits to be processed. */
  final KeptInput input;

  /** Responses that clients have not read. */
  final UntakenAnswers untaken;

  /** Whether requests are forwarded to a service. */
  final boolean forwards;

  final RequestHead head;
  final RateLimitFields rateLimitFields;
  public final RefusalWriter refusals;
  final TrailerSection trailers;
  final UnsafeBuffer window = new UnsafeBuffer(0, 0);
  final ChunkScanner probe = new ChunkScanner();

  /**
   * @param memory shared with clients of the event loop's other listeners.
   */
  public Http1ClientLoop(ClientLoop clients, Http1Memory memory) {
    this.clients = clients;
    input = memory.input;
    untaken = memory.untaken;
    forwards = clients.requests.forwards();
    head =
        new RequestHead(
            clients.settings.caps().fieldCount(), clients.settings.caps().targetBytes());
    trailers = new TrailerSection(clients.settings.caps().fieldCount());
    rateLimitFields = new RateLimitFields(clients.settings.answers());
    refusals = new RefusalWriter(rateLimitFields, clients.date);
  }
}
