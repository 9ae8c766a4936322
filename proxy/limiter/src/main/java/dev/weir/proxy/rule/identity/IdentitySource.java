package dev.weir.proxy.rule.identity;

import dev.weir.proxy.request.Question;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.rule.Rule;
import dev.weir.proxy.rule.spec.KeyPart;
import dev.weir.proxy.rule.spec.KeySpec;
import dev.weir.proxy.rule.spec.OnMissingKey;
import dev.weir.proxy.rule.spec.Rate;
import dev.weir.proxy.rule.spec.RuleSpec;
import java.nio.ByteOrder;
import java.util.List;
import java.util.StringJoiner;

/** Says from where a request's identity was read. For people, so it allocates. */
public final class IdentitySource {
  private IdentitySource() {}

  /**
   * The source of each part of an identity.
   *
   * @param reader which is asked again, so that what it has read before is gone.
   */
  public static String of(
      KeySpec key, Identity identity, IdentityReader reader, Question question) {
    byte[] tags = tags(key, identity);
    StringJoiner text = new StringJoiner(", ");
    for (int i = 0; i < tags.length; i++) {
      KeyPart part = key.part(i);
      text.add(
          switch (tags[i]) {
            case IdentityReader.STAND_IN -> "ip in the place of " + part + ", which is missing";
            case IdentityReader.ABSENT -> part + " is missing, which all such requests share";
            default -> source(part, reader, question);
          });
    }
    return text.toString();
  }

  private static byte[] tags(KeySpec key, Identity identity) {
    byte[] tags = new byte[key.partCount()];
    int at = 0;
    for (int i = 0; i < tags.length; i++) {
      tags[i] = identity.bytes().getByte(at);
      at += IdentityReader.PART_HEADER_BYTES;
      at += identity.bytes().getInt(at - Integer.BYTES, ByteOrder.BIG_ENDIAN);
    }
    return tags;
  }

  private static String source(KeyPart part, IdentityReader reader, Question question) {
    if (part.source() == KeyPart.Source.ALL) {
      return "all callers";
    }
    for (int i = 0; i < part.sourceCount(); i++) {
      if (hasValue(part.source(i), reader, question)) {
        return part + " by " + source(part.source(i), reader, question);
      }
    }
    return part.source() == KeyPart.Source.JWT ? part + " of a verified token" : part.toString();
  }

  /** Whether the request has a value of one source, as a rule with that key alone would read it. */
  private static boolean hasValue(KeyPart source, IdentityReader reader, Question question) {
    RuleSpec.Builder spec = RuleSpec.builder("probe").onMissingKey(OnMissingKey.REFUSE);
    spec.key(KeySpec.ofParts(List.of(source))).rate(Rate.parse("1/1s"));
    Rule probe = Rule.alone(spec.build(), 0, null, 0);
    return reader.read(probe, question, 0) != RefusalReason.IDENTITY_MISSING;
  }
}
