package dev.weir.proxy.exchange;

import dev.weir.proxy.request.Protocol;
import dev.weir.proxy.request.RequestEnd;
import dev.weir.proxy.request.RequestView;
import dev.weir.proxy.request.Verdict;
import java.util.StringJoiner;

/**
 * A client's side of an exchange that tells in words what it is told. What it does with the bytes
 * of either direction, who makes one says.
 */
public abstract class RecordingClient implements ClientSide {
  public final ProxiedRequest request;

  // The request keeps its client, and tells it nothing before it begins.
  @SuppressWarnings("this-escape")
  protected RecordingClient(RequestLoop loop) {
    request = new ProxiedRequest(loop, this);
  }

  /** Takes a line, on the event loop. */
  protected abstract void told(String line);

  /** Takes what a call of the request has returned: null, or why it is refused. */
  protected final void answer(Verdict refusal) {
    if (refusal != null) {
      refuse(refusal);
    }
  }

  @Override
  public final Protocol protocol() {
    return Protocol.HTTP1;
  }

  @Override
  public final void headWaits(int bytes) {
    // Of no bound here.
  }

  @Override
  public final void refuse(Verdict verdict) {
    told("refused " + verdict.refusal());
  }

  @Override
  public final void refuseRest(Verdict verdict) {
    told("refused rest " + verdict.refusal());
  }

  @Override
  public final void sayContinue() {
    told("continue");
  }

  @Override
  public final int informational(IncomingResponse head) {
    told("informational " + head.status());
    return 0;
  }

  @Override
  public final void switched(IncomingResponse head) {
    told("switched " + head.status());
  }

  @Override
  public final BodyForm responseHead(
      IncomingResponse head, PassedLimit limit, boolean wantsContent) {
    told("head " + head.status() + (head.hasBody() ? "" : " alone"));
    return BodyForm.DATA;
  }

  @Override
  public final void responseTrailers(RequestView fields) {
    StringJoiner line = new StringJoiner(" ", "trailers ", "");
    for (int i = 0; i < fields.fieldCount(); i++) {
      String name = fields.text(fields.nameOffset(i), fields.nameLength(i));
      line.add(name + '=' + fields.text(fields.valueOffset(i), fields.valueLength(i)));
    }
    told(line.toString());
  }

  @Override
  public final void ended() {
    told("ended");
  }

  @Override
  public final void reset(RequestEnd.How how, int errorCode) {
    told("reset " + how + (errorCode == RequestEnd.NO_CODE ? "" : " " + errorCode));
  }
}
