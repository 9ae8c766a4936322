package dev.weir.proxy.control;

import dev.weir.proxy.request.FieldName;
import dev.weir.proxy.request.GrpcStatus;
import dev.weir.proxy.request.Question;
import dev.weir.proxy.request.ReportedCost;
import dev.weir.proxy.rule.spec.BadValueException;
import dev.weir.proxy.rule.spec.CostAtEnd;
import dev.weir.proxy.rule.spec.CostSpec;
import dev.weir.proxy.rule.spec.KeyPart;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Reads a cost that is a section: what a header of the request says, the length of its content, or
 * what the response says.
 */
final class CostReader {
  static final String HEADER = "header";
  static final String MAX = "max";
  static final String DEFAULT = "default";
  static final String REQUEST_BYTES = "request-bytes";
  static final String RESPONSE = "response";
  static final String TRAILER = "trailer";
  static final String BYTES = "bytes";
  static final String STATUS = "status";
  static final String BODY_NUMBER = "body-number";
  static final String RESERVE = "reserve";
  static final String MISSING = "missing";

  private static final List<String> COSTS = List.of(HEADER, REQUEST_BYTES, RESPONSE);
  private static final List<String> REPORTS = List.of(HEADER, TRAILER, BYTES, STATUS, BODY_NUMBER);

  /** A smaller unit would not count the largest bodies. */
  private static final int LEAST_BYTES = 1 << 10;

  private static final int MOST_BYTES = 1 << 30;

  /** The longest path of a member of JSON. */
  private static final int MAX_MEMBER = 64;

  private final YamlTree tree;
  private final Faults faults;

  private KeyPart header;
  private long max;
  private long standard;
  private int bytesPerUnit;
  private ReportedCost reported;
  private long reserve = CostAtEnd.LEARN;
  private long missing = CostAtEnd.RESERVE;

  CostReader(YamlTree tree, Faults faults) {
    this.tree = tree;
    this.faults = faults;
  }

  /**
   * Reads the cost at a path, if it is a section.
   *
   * @param setter is called if it has no faults.
   */
  void read(String path, Consumer<CostSpec> setter) {
    if (!tree.at(path).isSection()) {
      return;
    }
    String kind = theOneOf(COSTS, path);
    if (kind == null) {
      return;
    }
    refuseOthers(path, kind);
    tree.read(path + "." + DEFAULT, text -> standard = units(text, 1));
    switch (kind) {
      case HEADER -> readHeader(path);
      case REQUEST_BYTES -> readRequestBytes(path);
      default -> readResponse(path + "." + RESPONSE);
    }
    boolean hasDefault = tree.at(path).keys().containsKey(DEFAULT);
    boolean isAtEnd = kind.equals(RESPONSE) || kind.equals(REQUEST_BYTES) && !hasDefault;
    if (isAtEnd) {
      readReserve(path);
      tree.read(
          path + "." + MISSING,
          text -> missing = text.equals(RESERVE) ? missing : units(text, 0, RESERVE));
    }
    if (!faults.isFaultyWithin(path) && (reported != null || !isAtEnd)) {
      long otherwise = standard == 0 ? 1 : standard;
      setter.accept(
          switch (kind) {
            case HEADER -> CostSpec.ofHeader(header, max, otherwise);
            case RESPONSE -> CostSpec.ofReported(atEnd());
            default ->
                isAtEnd
                    ? CostSpec.ofRequestBytes(bytesPerUnit, atEnd())
                    : CostSpec.ofRequestBytes(bytesPerUnit, otherwise);
          });
    }
  }

  private CostAtEnd atEnd() {
    CostAtEnd cost = CostAtEnd.of(reported).missing(missing);
    if (header != null) {
      return cost.reservingByHeader(header, max);
    }
    return reserve == CostAtEnd.LEARN ? cost : cost.reserving(reserve);
  }

  /** The one of some keys that a section has; null, which is a fault, if it has none or several. */
  private String theOneOf(List<String> keys, String path) {
    List<String> found = keys.stream().filter(tree.at(path).keys()::containsKey).toList();
    if (found.size() == 1) {
      return found.get(0);
    }
    int last = keys.size() - 1;
    String all = String.join(", ", keys.subList(0, last)) + " and " + keys.get(last);
    fault(path, found.isEmpty() ? "none" : String.join(" and ", found), "one of " + all);
    return null;
  }

  /** Reports keys that only costs of another kind have. */
  private void refuseOthers(String path, String kind) {
    Map<String, YamlValue> keys = tree.at(path).keys();
    boolean isAtEnd = kind.equals(RESPONSE) || kind.equals(REQUEST_BYTES);
    List<String> refused = new ArrayList<>();
    if (!kind.equals(HEADER)) {
      refused.add(MAX);
    }
    if (kind.equals(RESPONSE)) {
      refused.add(DEFAULT);
    }
    if (!isAtEnd || keys.containsKey(DEFAULT)) {
      refused.add(RESERVE);
    }
    if (!kind.equals(RESPONSE)) {
      refused.add(MISSING);
    }
    for (String key : refused) {
      if (keys.containsKey(key)) {
        String because =
            key.equals(RESERVE) && isAtEnd && !kind.equals(RESPONSE)
                ? "default is given"
                : "the cost is by " + kind;
        fault(path + "." + key, "given", "nothing, as " + because);
      }
    }
  }

  private void readHeader(String path) {
    tree.read(
        path + "." + HEADER, name -> header = header(name, "that trusted proxies set", "cost"));
    tree.read(path + "." + MAX, text -> max = units(text, 1));
    if (!tree.at(path).keys().containsKey(MAX)) {
      fault(path + "." + MAX, "missing", "the most that the header may say");
    }
  }

  private void readRequestBytes(String path) {
    tree.read(path + "." + REQUEST_BYTES, text -> bytesPerUnit = bytes(text));
    if (bytesPerUnit != 0) {
      reported = ReportedCost.ofRequestBytes(bytesPerUnit);
    }
  }

  private void readResponse(String path) {
    String kind = tree.at(path).isSection() ? theOneOf(REPORTS, path) : null;
    if (kind == null) {
      return;
    }
    String at = path + "." + kind;
    switch (kind) {
      case HEADER -> tree.read(at, name -> reported = ReportedCost.ofHeader(field(name)));
      case TRAILER -> tree.read(at, name -> reported = ReportedCost.ofTrailer(field(name)));
      case BYTES -> tree.read(at, text -> reported = ReportedCost.ofResponseBytes(bytes(text)));
      case BODY_NUMBER -> tree.read(at, name -> reported = ReportedCost.ofBodyNumber(member(name)));
      default -> readStatuses(at);
    }
  }

  private void readStatuses(String path) {
    List<Integer> statuses = new ArrayList<>();
    List<GrpcStatus> calls = new ArrayList<>();
    tree.readItems(
        path,
        text -> {
          boolean isHttp = text.matches("[1-5][0-9][0-9]");
          if (isHttp) {
            statuses.add(Integer.parseInt(text));
          } else {
            calls.add(grpcStatus(text));
          }
        });
    if (statuses.size() + calls.size() > 0) {
      reported = ReportedCost.ofStatus(statuses, calls);
    }
  }

  private void readReserve(String cost) {
    String path = cost + "." + RESERVE;
    boolean isGiven = tree.at(cost).keys().containsKey(RESERVE);
    if (isGiven && reported != null && reported.kind() == ReportedCost.Kind.STATUS) {
      fault(path, "given", "nothing, as a status costs 1 or 0");
      return;
    }
    tree.read(path, text -> reserve = text.equals("learn") ? reserve : units(text, 1, "learn"));
    if (!tree.at(path).isSection()) {
      return;
    }
    Map<String, YamlValue> keys = tree.at(path).keys();
    for (String key : List.of(HEADER, MAX)) {
      if (!keys.containsKey(key)) {
        String expected =
            key.equals(HEADER) ? "a header such as x-max-tokens" : "the most that it may say";
        fault(path + "." + key, "missing", expected);
      }
    }
    tree.read(path + "." + HEADER, name -> header = header(name, "of requests", "max-tokens"));
    tree.read(path + "." + MAX, text -> max = units(text, 1));
  }

  private void fault(String path, String found, String expected) {
    faults.add(tree.line(path), path, found, expected);
  }

  private static long units(String text, long least) {
    return Texts.parseLong(text, least, Question.MAX_COST);
  }

  /** A number of units, beside a word that may stand there. */
  private static long units(String text, long least, String word) {
    try {
      return units(text, least);
    } catch (BadValueException bad) {
      throw new BadValueException(text, bad.expected() + ", or " + word);
    }
  }

  private static int bytes(String text) {
    return Texts.parseBytes(text, LEAST_BYTES, MOST_BYTES);
  }

  private static FieldName field(String name) {
    if (!FieldName.isToken(name)) {
      throw new BadValueException(name, "the name of a field, such as x-tokens");
    }
    return FieldName.of(name);
  }

  private static String member(String name) {
    if (!name.matches("[A-Za-z0-9_-]+([.][A-Za-z0-9_-]+)*") || name.length() > MAX_MEMBER) {
      throw new BadValueException(
          name,
          "a member of JSON by its path, such as usage.total_tokens: names of letters, digits, -"
              + " and _, joined by dots");
    }
    return name;
  }

  private static GrpcStatus grpcStatus(String text) {
    for (GrpcStatus status : GrpcStatus.values()) {
      if (status.name().equals(text)) {
        return status;
      }
    }
    throw new BadValueException(
        text, "a status of HTTP from 100 to 599, or of gRPC such as UNAUTHENTICATED");
  }

  private static KeyPart header(String name, String whose, String example) {
    String expected = "a header " + whose + ", such as x-" + example;
    try {
      KeyPart part = KeyPart.parse("header:" + name);
      if (part.source() == KeyPart.Source.HEADER) {
        return part;
      }
    } catch (BadValueException bad) {
      throw new BadValueException(name, expected);
    }
    throw new BadValueException(name, expected);
  }
}
