package dev.weir.proxy.rule.spec;

import dev.weir.proxy.request.AcceptField;
import dev.weir.proxy.request.RefusalAnswer;
import dev.weir.proxy.request.RequestView;
import java.util.List;

/**
 * What a rule answers to the requests that it refuses.
 *
 * @param answers one for each media type in the order of the file, and at the end the one for
 *     clients that take none of them.
 */
public record RefusalSpec(List<RefusalAnswer> answers) {
  /** The most media types. */
  public static final int MAX_BODIES = 8;

  /** The most fields. */
  public static final int MAX_FIELDS = 8;

  /** The most bytes of a body, as it is written. */
  public static final int MAX_BODY_BYTES = 8 * 1024;

  public RefusalSpec {
    answers = List.copyOf(answers);
  }

  /**
   * The answer in the media type that a client wants most; of several, the first.
   *
   * @param request null if there is none.
   */
  public RefusalAnswer choose(RequestView request) {
    int last = answers.size() - 1;
    RefusalAnswer chosen = answers.get(last);
    int most = 0;
    for (int i = 0; i < last && most < AcceptField.MOST; i++) {
      RefusalAnswer answer = answers.get(i);
      int weight = request == null ? AcceptField.MOST : AcceptField.weight(request, answer.type());
      if (weight > most) {
        most = weight;
        chosen = answer;
      }
    }
    return chosen;
  }
}
