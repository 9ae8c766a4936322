package dev.weir.proxy.request;

import java.io.ByteArrayOutputStream;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import org.agrona.concurrent.UnsafeBuffer;

/** A request as a listener would hand it over, from texts of one byte per character. */
public final class TextRequest {
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private final RequestView view = new RequestView(2_000);
  private final String method;
  private final String target;
  private final String[] fields;

  private TextRequest(String method, String target, String... fields) {
    this.method = method;
    this.target = target;
    this.fields = fields;
  }

  /**
   * @param fields names and values in turn; the name {@code :authority} is that of the host.
   */
  public static RequestView of(String method, String target, String... fields) {
    return from("192.0.2.1", method, target, fields);
  }

  public static RequestView from(String peer, String method, String target, String... fields) {
    return new TextRequest(method, target, fields).build(new Peer(address(peer), false));
  }

  /** A request that a trusted proxy sends. */
  public static RequestView ofTrusted(String method, String target, String... fields) {
    return new TextRequest(method, target, fields).build(new Peer(address("10.0.0.1"), true));
  }

  /** A request whose connection is a client's that has shown a certificate. */
  public static RequestView of(CertificateNames names) {
    Peer peer = new Peer(address("192.0.2.1"), false).secured(names);
    return new TextRequest("GET", "/").build(peer);
  }

  public static IpAddress address(String text) {
    try {
      return IpAddress.of(InetAddress.getByName(text));
    } catch (UnknownHostException notLiteral) {
      throw new AssertionError(notLiteral);
    }
  }

  private RequestView build(Peer peer) {
    append("padding");
    int methodAt = append(method);
    int question = target.indexOf('?');
    String path = question < 0 ? target : target.substring(0, question);
    int pathAt = append(path);
    int queryAt = question < 0 ? -1 : append(target.substring(question + 1));
    int[] at = new int[fields.length];
    for (int i = 0; i < fields.length; i++) {
      at[i] = append(fields[i]);
    }
    UnsafeBuffer buffer = new UnsafeBuffer(bytes.toByteArray());
    view.reset(buffer, 0, buffer.capacity(), peer);
    view.method(methodAt, method.length());
    view.path(pathAt, path.length());
    if (question >= 0) {
      view.query(queryAt, target.length() - question - 1);
    }
    for (int i = 0; i < fields.length; i += 2) {
      if (fields[i].equals(":authority")) {
        view.authority(at[i + 1], fields[i + 1].length());
        continue;
      }
      view.addField(at[i], fields[i].length(), at[i + 1], fields[i + 1].length());
    }
    return view;
  }

  private int append(String text) {
    int at = bytes.size();
    bytes.writeBytes(text.getBytes(StandardCharsets.ISO_8859_1));
    return at;
  }
}
