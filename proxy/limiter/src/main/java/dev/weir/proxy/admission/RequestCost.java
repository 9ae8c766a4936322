package dev.weir.proxy.admission;

import dev.weir.proxy.request.Ascii;
import dev.weir.proxy.request.CostFault;
import dev.weir.proxy.request.FieldName;
import dev.weir.proxy.request.Question;
import dev.weir.proxy.request.RequestView;
import dev.weir.proxy.rule.spec.CostAtEnd;
import dev.weir.proxy.rule.spec.CostSpec;
import org.agrona.DirectBuffer;

/**
 * The cost of one request by its own head: a number in a header of a trusted proxy, or the length
 * of its content. A head that does not say it, or is not believed, leaves the cost to the rule.
 * Owned by one thread; allocates nothing.
 */
final class RequestCost {
  /** Stands for the cost that the rule has for such requests. */
  static final long OF_RULE = Question.COST_OF_RULE;

  private CostFault fault;

  /** Forgets the request before. */
  void begin() {
    fault = null;
  }

  /** The fault of this request's header; null for none. */
  CostFault fault() {
    return fault;
  }

  /**
   * Units that a request takes, in whole ones.
   *
   * @param head null if there is none.
   * @return 1 to {@link Question#MAX_COST}; or {@link #OF_RULE}.
   */
  long of(CostSpec cost, RequestView head) {
    if (head == null) {
      return OF_RULE;
    }
    return cost.kind() == CostSpec.Kind.HEADER
        ? ofHeader(cost, head)
        : ofContent(head.contentLength(), cost.bytesPerUnit());
  }

  /** The reserve that a header says, at most the largest that it may; 0 if it says none. */
  static long reserve(CostAtEnd cost, RequestView head) {
    FieldName name = cost.reserveHeader().header();
    int field = head.findField(name, 0);
    if (field < 0 || head.findField(name, field + 1) >= 0) {
      return 0;
    }
    long most = cost.maxReserve();
    long units = number(head.bytes(), head.valueOffset(field), head.valueLength(field), most);
    return Math.min(units, most);
  }

  private static long ofContent(long contentLength, int bytesPerUnit) {
    if (contentLength < 0) {
      return OF_RULE;
    }
    long units = (contentLength + bytesPerUnit - 1) / bytesPerUnit;
    return Math.max(1, Math.min(units, Question.MAX_COST));
  }

  private long ofHeader(CostSpec cost, RequestView head) {
    FieldName name = cost.header().header();
    int field = head.findField(name, 0);
    if (field < 0) {
      return OF_RULE;
    }
    if (head.peer() == null || !head.peer().trusted()) {
      fault = CostFault.NOT_TRUSTED;
      return OF_RULE;
    }
    long units = number(head.bytes(), head.valueOffset(field), head.valueLength(field), cost.max());
    if (units == 0 || head.findField(name, field + 1) >= 0) {
      fault = CostFault.MALFORMED;
      return OF_RULE;
    }
    if (units > cost.max()) {
      fault = CostFault.ABOVE_MAX;
      return cost.max();
    }
    return units;
  }

  /**
   * A number of digits and nothing else; any above {@code max} if it is larger; 0 if it is none.
   */
  private static long number(DirectBuffer bytes, int offset, int length, long max) {
    long number = 0;
    for (int i = offset; i < offset + length; i++) {
      byte b = bytes.getByte(i);
      if (!Ascii.isDigit(b)) {
        return 0;
      }
      number = number > max ? number : number * 10 + b - '0';
    }
    return number;
  }
}
