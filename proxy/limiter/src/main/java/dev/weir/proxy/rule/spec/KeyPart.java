package dev.weir.proxy.rule.spec;

import dev.weir.proxy.request.FieldName;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * One source of a key: {@code ip}, {@code header:NAME}, {@code cookie:NAME}, {@code query:NAME},
 * {@code jwt:CLAIM}, {@code tls:san}, {@code tls:spiffe} or {@code tls:cn}, or {@code api-key},
 * which is short for {@code header:x-api-key}. Or the first of several that a request has, under a
 * name of {@link IdentityNames}.
 *
 * <p>{@code header:host} is the forwarded host, which the target may name: without its port, in
 * lower case. Fields that the service does not get, or not as the client sent them, are no sources,
 * as clients would be told apart by values that the service does not see.
 */
public final class KeyPart {
  /** The part of a request that a value is read from. */
  public enum Source {
    ALL,
    IP,
    HOST,
    HEADER,
    COOKIE,
    QUERY,
    /** A claim of a verified token. */
    JWT,
    TLS_SAN,
    TLS_SPIFFE,
    TLS_CN,
    FIRST_OF
  }

  /** All callers: no part of the request. Only keys have it, and by itself. */
  static final KeyPart ALL = new KeyPart(Source.ALL, "all", null, null);

  /** The client's address. */
  public static final KeyPart IP = new KeyPart(Source.IP, "ip", null, null);

  /** The host that is forwarded. */
  public static final KeyPart HOST =
      new KeyPart(Source.HOST, "header:host", FieldName.of("host"), null);

  /** Fields that belong to the client's connection, or frame the body. */
  private static final Set<String> OF_CONNECTION =
      Set.of(
          "connection",
          "content-length",
          "content_length",
          "expect",
          "http2-settings",
          "keep-alive",
          "proxy-authenticate",
          "proxy-authorization",
          "proxy-connection",
          "te",
          "trailer",
          "transfer-encoding",
          "transfer_encoding",
          "upgrade");

  /**
   * Fields by which a proxy names its client; removed or written anew unless the proxy is trusted.
   */
  private static final Set<String> OF_PROXIES =
      Set.of(
          "forwarded",
          "true-client-ip",
          "x-forwarded-for",
          "x-forwarded-host",
          "x-forwarded-port",
          "x-forwarded-proto",
          "x-real-ip");

  /** A header or parameter whose name contains one of these counts as a secret. */
  private static final List<String> SECRET_WORDS =
      List.of(
          "auth",
          "cookie",
          "credential",
          "jwt",
          "key",
          "pass",
          "secret",
          "session",
          "sign",
          "token");

  private static final String OF_ENVOY = "x-envoy-";

  static final String EXPECTED =
      "ip, api-key, header:NAME, cookie:NAME, query:NAME, jwt:CLAIM, tls:san, tls:spiffe or tls:cn";

  private final Source source;
  private final String text;
  private final FieldName header;
  private final byte[] name;
  private final boolean isSecret;

  /** The sources of which the first counts; empty for one source. */
  private final List<KeyPart> sources;

  /** The names of identities that stand for it. */
  private final List<String> names;

  private KeyPart(Source source, String text, FieldName header, byte[] name) {
    this.source = source;
    this.text = text;
    this.header = header;
    this.name = name;
    this.sources = List.of();
    this.names = List.of();
    String lowerCase = text.substring(text.indexOf(':') + 1).toLowerCase(Locale.ROOT);
    this.isSecret =
        source == Source.COOKIE
            || (source == Source.HEADER || source == Source.QUERY)
                && SECRET_WORDS.stream().anyMatch(lowerCase::contains);
  }

  private KeyPart(
      KeyPart of, Source source, String text, List<String> names, List<KeyPart> sources) {
    this.source = source;
    this.text = text;
    this.header = of.header;
    this.name = of.name;
    this.sources = List.copyOf(sources);
    this.names = List.copyOf(names);
    this.isSecret = of.isSecret || source == Source.FIRST_OF;
  }

  /**
   * The first of several sources that a request has. It is known by its name alone, and always
   * secret, so budgets stay when its sources change.
   *
   * @param sources 1 or more, each of one source.
   */
  static KeyPart firstOf(String name, List<KeyPart> sources) {
    return new KeyPart(ALL, Source.FIRST_OF, name, List.of(), sources);
  }

  /**
   * This part, which programs may give by further names.
   *
   * @param names of each source, as the file has them.
   */
  KeyPart as(Map<KeyPart, List<String>> names) {
    List<KeyPart> named = sources.stream().map(source -> source.as(names)).toList();
    return new KeyPart(this, source, text, names.getOrDefault(this, List.of()), named);
  }

  /**
   * @throws BadValueException if the text names no source.
   */
  public static KeyPart parse(String text) {
    return parse(text, EXPECTED);
  }

  /**
   * Reads a source.
   *
   * @param expected in its place, if the text begins like none.
   */
  static KeyPart parse(String text, String expected) {
    if (text.equals("ip")) {
      return IP;
    }
    if (text.equals("api-key")) {
      return parse("header:x-api-key");
    }
    int colon = text.indexOf(':');
    String name = text.substring(colon + 1);
    byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
    switch (colon < 0 ? "" : text.substring(0, colon)) {
      case "header":
        requireToken(text, name);
        return ofHeader(text, FieldName.of(name));
      case "cookie":
        requireToken(text, name);
        return new KeyPart(Source.COOKIE, text, null, bytes);
      case "query":
        if (name.isEmpty() || bytes.length > 255) {
          throw new BadValueException(text, "query:NAME, the name 1 to 255 bytes, not encoded");
        }
        return new KeyPart(Source.QUERY, text, null, bytes);
      case "jwt":
        if (name.isEmpty() || bytes.length > 255) {
          throw new BadValueException(text, "jwt:CLAIM, the claim's name 1 to 255 bytes");
        }
        return new KeyPart(Source.JWT, text, null, bytes);
      case "tls":
        return ofCertificate(text, name);
      default:
        throw new BadValueException(text, expected);
    }
  }

  /** A name in the client's certificate; see {@link dev.weir.proxy.request.CertificateNames}. */
  private static KeyPart ofCertificate(String text, String name) {
    return switch (name) {
      case "san" -> new KeyPart(Source.TLS_SAN, text, null, null);
      case "spiffe" -> new KeyPart(Source.TLS_SPIFFE, text, null, null);
      case "cn" -> new KeyPart(Source.TLS_CN, text, null, null);
      default -> throw new BadValueException(text, "tls:san, tls:spiffe or tls:cn");
    };
  }

  private static KeyPart ofHeader(String text, FieldName header) {
    String name = header.toString();
    if (OF_CONNECTION.contains(name)) {
      throw new BadValueException(text, "another field, as " + name + " belongs to the connection");
    }
    if (OF_PROXIES.contains(name) || name.startsWith(OF_ENVOY)) {
      String other =
          switch (name) {
            case "x-forwarded-host" -> "header:host";
            case "forwarded", "true-client-ip", "x-forwarded-for", "x-real-ip" -> "ip";
            default -> "another field";
          };
      throw new BadValueException(text, other + ", as only trusted proxies may say " + name);
    }
    Source source = name.equals("host") ? Source.HOST : Source.HEADER;
    return new KeyPart(source, "header:" + name, header, null);
  }

  private static void requireToken(String text, String name) {
    if (!FieldName.isToken(name) || name.length() > 255) {
      throw new BadValueException(text, "a name of 1 to 255 letters, digits and !#$%&'*+-.^_`|~");
    }
  }

  public Source source() {
    return source;
  }

  /**
   * Whether anybody who knows the value may act as the client: true for cookies, and for headers
   * and parameters whose name says so, such as {@code authorization}, {@code x-api-key} and {@code
   * access_token}; and for the first of several sources, whichever they are.
   */
  public boolean isSecret() {
    return isSecret;
  }

  /**
   * Whether a name is that of this source: its text or short form, or an identity's name. The
   * dimension USER of programs is {@code header:x-user-id}, and the identity {@code user}.
   */
  public boolean isNamed(String name) {
    return text.equals(name)
        || names.contains(name)
        || name.equals("api-key") && text.equals("header:x-api-key")
        || name.equals("header:x-user-id") && (text.equals("user") || names.contains("user"));
  }

  /** The sources of which the first that a request has counts; 0 if it is one source itself. */
  public int sourceCount() {
    return sources.size();
  }

  /** Whether it, or one of its sources, is a claim of a token. */
  public boolean readsToken() {
    return source == Source.JWT || sources.stream().anyMatch(KeyPart::readsToken);
  }

  List<KeyPart> sources() {
    return sources;
  }

  /** The first of its sources of a kind; null if there is none. */
  public KeyPart find(Predicate<KeyPart> kind) {
    return sources.stream().filter(kind).findFirst().orElse(null);
  }

  /** One of the sources of which the first counts. */
  public KeyPart source(int index) {
    return sources.get(index);
  }

  /** Whether somebody vouches for the value: a token's issuer, or that of a certificate. */
  public boolean isVerified() {
    return switch (source) {
      case JWT, TLS_SAN, TLS_SPIFFE, TLS_CN -> true;
      case ALL, IP, HOST, HEADER, COOKIE, QUERY, FIRST_OF -> false;
    };
  }

  /** Whether a client can send any value. */
  public boolean isChosen() {
    return switch (source) {
      case HOST, HEADER, COOKIE, QUERY -> true;
      case ALL, IP, JWT, TLS_SAN, TLS_SPIFFE, TLS_CN, FIRST_OF -> false;
    };
  }

  /** The header's name; null for other sources. */
  public FieldName header() {
    return header;
  }

  /** The decoded name of the cookie, query parameter or claim; null for other sources. */
  public byte[] name() {
    return name;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof KeyPart that && text.equals(that.text);
  }

  @Override
  public int hashCode() {
    return text.hashCode();
  }

  /** The canonical text: header names in lower case. */
  @Override
  public String toString() {
    return text;
  }
}
