package dev.weir.proxy.rule.spec;

import dev.weir.proxy.request.TargetNormaliser;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The paths of a rule: segments that are literal, {@code *} or {@code {name}} (any one segment),
 * and at the end perhaps {@code **} (any number of segments, also none: {@code /static/**} includes
 * {@code /static}).
 *
 * <p>Literals are compared with a segment's decoded bytes, so that a pattern may be written either
 * way: {@code /café} is {@code /caf%C3%A9}, {@code /@me} is {@code /%40me}. Case counts, unless the
 * rule set ignores it. A segment's {@code ;parameters} are ignored, and so are empty segments and a
 * slash at the end.
 */
public final class PathPattern {
  /** The most segments of a pattern: the depth of the trie. */
  public static final int MAX_SEGMENTS = 32;

  /** Every path. */
  public static final PathPattern ANY = parse("/**");

  /** Kinds of segments, least specific first. */
  public enum Kind {
    REST,
    SINGLE,
    LITERAL
  }

  /**
   * One segment.
   *
   * @param label the decoded bytes of a literal; empty for others.
   */
  public record Segment(Kind kind, byte[] label) {
    private static final byte[] NONE = {};
    private static final Segment ANY_ONE = new Segment(Kind.SINGLE, NONE);
    private static final Segment ANY_REST = new Segment(Kind.REST, NONE);
  }

  private static final String GRPC_NAME = "[A-Za-z_][A-Za-z0-9_]*";
  private static final String GRPC_SERVICE = GRPC_NAME + "(\\." + GRPC_NAME + ")*";

  private final String text;
  private final List<Segment> segments;
  private final boolean isGrpc;

  private PathPattern(String text, List<Segment> segments, boolean isGrpc) {
    this.text = text;
    this.segments = List.copyOf(segments);
    this.isGrpc = isGrpc;
  }

  /**
   * Parses a pattern.
   *
   * @throws BadValueException if the text is no pattern, or one that no normalised path can match.
   */
  public static PathPattern parse(String text) {
    if (!text.startsWith("/")) {
      throw new BadValueException(text, "a path pattern that starts with /");
    }
    String body = text.substring(1);
    if (body.endsWith("/") && body.length() > 1) {
      body = body.substring(0, body.length() - 1);
    }
    List<Segment> segments = new ArrayList<>();
    for (String part : body.isEmpty() ? new String[0] : body.split("/", -1)) {
      if (!segments.isEmpty() && segments.get(segments.size() - 1).kind() == Kind.REST) {
        throw new BadValueException(text, "** only at the end");
      }
      segments.add(segment(text, part));
    }
    if (segments.size() > MAX_SEGMENTS) {
      throw new BadValueException(text, "at most " + MAX_SEGMENTS + " segments");
    }
    return new PathPattern(text, segments, false);
  }

  /**
   * Parses a gRPC method, {@code package.Service/Method}, or all methods of a service: {@code
   * package.Service/*}, or {@code package.Service}. The path of a call is that with a slash before
   * it.
   *
   * @throws BadValueException if the text is none of these.
   */
  public static PathPattern parseGrpc(String text) {
    if (text.startsWith("/")) {
      throw new BadValueException(text, "package.Service/Method, without a slash before it");
    }
    int slash = text.indexOf('/');
    String service = slash < 0 ? text : text.substring(0, slash);
    String method = slash < 0 ? "*" : text.substring(slash + 1);
    if (!service.matches(GRPC_SERVICE) || !method.equals("*") && !method.matches(GRPC_NAME)) {
      throw new BadValueException(
          text, "package.Service/Method, or package.Service for all of its methods");
    }
    List<Segment> path =
        List.of(
            new Segment(Kind.LITERAL, service.getBytes(StandardCharsets.US_ASCII)),
            segment(text, method));
    return new PathPattern(text, path, true);
  }

  /** Whether it was written as a gRPC service or method. */
  public boolean isGrpc() {
    return isGrpc;
  }

  private static Segment segment(String text, String part) {
    if (part.equals("**")) {
      return Segment.ANY_REST;
    }
    if (part.equals("*") || part.matches("\\{[A-Za-z0-9_.-]+}")) {
      return Segment.ANY_ONE;
    }
    if (part.isEmpty()) {
      throw new BadValueException(text, "no empty segment");
    }
    if (part.contains("*") || part.contains("{") || part.contains("}")) {
      throw new BadValueException(
          text, "*, ** or {name} as a whole segment; a literal * is %2A, { is %7B, } is %7D");
    }
    if (part.contains(";")) {
      throw new BadValueException(text, "no parameters, they are ignored");
    }
    if (part.contains("\\") || part.contains("?") || part.contains("#")) {
      throw new BadValueException(text, "a path without \\, ? and #");
    }
    byte[] label = decode(text, part.getBytes(StandardCharsets.UTF_8));
    String plain = new String(label, StandardCharsets.ISO_8859_1);
    if (plain.equals(".") || plain.equals("..")) {
      throw new BadValueException(text, "no dot segments: paths are matched without them");
    }
    return new Segment(Kind.LITERAL, label);
  }

  private static byte[] decode(String text, byte[] part) {
    byte[] label = new byte[part.length];
    int length = 0;
    for (int i = 0; i < part.length; i++) {
      if (part[i] == '%') {
        int octet = i + 2 < part.length ? TargetNormaliser.octet(part[i + 1], part[i + 2]) : -1;
        if (octet < 0) {
          throw new BadValueException(text, "two hex digits after %; a literal % is %25");
        }
        if (TargetNormaliser.isAmbiguous(octet)) {
          throw new BadValueException(text, "no %00, %2F, %3B and %5C: such paths are refused");
        }
        label[length++] = (byte) octet;
        i += 2;
      } else if (part[i] >= 0 && part[i] <= ' ' || part[i] == 0x7F) {
        throw new BadValueException(text, "spaces and controls percent-encoded");
      } else {
        label[length++] = part[i];
      }
    }
    return Arrays.copyOf(label, length);
  }

  public List<Segment> segments() {
    return segments;
  }

  /** Whether it ends in {@code **}. */
  public boolean isOpen() {
    return !segments.isEmpty() && segments.get(segments.size() - 1).kind() == Kind.REST;
  }

  /** One text for all patterns that match the same paths, whatever their spelling. */
  public String canonical(boolean ignoreCase) {
    StringBuilder canonical = new StringBuilder();
    for (Segment segment : segments) {
      canonical.append('/');
      switch (segment.kind()) {
        case REST -> canonical.append("**");
        case SINGLE -> canonical.append('*');
        case LITERAL -> {
          for (byte b : segment.label()) {
            canonical.append(String.format("%02X", ignoreCase ? SegmentLabel.lowerCase(b) : b));
          }
        }
      }
    }
    return canonical.toString();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof PathPattern that && text.equals(that.text);
  }

  @Override
  public int hashCode() {
    return text.hashCode();
  }

  /** The pattern as it was written. */
  @Override
  public String toString() {
    return text;
  }
}
