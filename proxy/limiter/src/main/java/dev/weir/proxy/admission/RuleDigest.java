package dev.weir.proxy.admission;

import dev.weir.proxy.rule.Rule;
import dev.weir.proxy.rule.RuleSet;
import dev.weir.proxy.rule.spec.KeyPart;
import dev.weir.proxy.rule.spec.RuleSpec;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * A short text by which sidecars find out whether their rules share the same budgets: it depends on
 * all rules that use the store, or that do not take all of its limits of all requests, in any
 * order, and on how identities are named. Used by one thread.
 */
public final class RuleDigest {
  private static final int DIGEST_BYTES = 8;

  private final StoreNames names;
  private RuleSet last = RuleSet.EMPTY;
  private String digest = "";

  public RuleDigest(StoreNames names) {
    this.names = names;
  }

  /** The digest; empty if no rule uses the store. */
  public String of(RuleSet rules) {
    if (rules != last) {
      List<RuleSpec> specs = rules.rules().stream().map(Rule::spec).toList();
      boolean isEverywhere = specs.stream().anyMatch(RuleDigest::isSharedEverywhere);
      String text =
          specs.stream()
              .filter(spec -> spec.asksStore() || isEverywhere && spec.everywhere() != null)
              .map(RuleDigest::text)
              .sorted()
              .collect(Collectors.joining("\n"));
      boolean isOfUsers =
          rules.rules().stream().anyMatch(rule -> rule.isOfUsers() && rule.spec().asksStore());
      digest = text.isEmpty() ? "" : hash(isOfUsers ? text + "\n" + rules.users() : text);
      last = rules;
    }
    return digest;
  }

  /** Whether the store counts all requests but those of rules that take them out. */
  private static boolean isSharedEverywhere(RuleSpec spec) {
    return spec.isEverywhere() && spec.asksStore();
  }

  /** The digest of rules of any kind, in their order. */
  public String of(List<RuleSpec> rules) {
    return hash(rules.stream().map(RuleDigest::text).collect(Collectors.joining("\n")));
  }

  private static String text(RuleSpec rule) {
    return rule + rule.ownDecisions();
  }

  private String hash(String text) {
    String hashed =
        names.hashed().stream().map(KeyPart::toString).sorted().collect(Collectors.joining(","));
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      byte[] key = names.hashKeyInUse().getBytes(StandardCharsets.UTF_8);
      mac.init(new SecretKeySpec(key, "HmacSHA256"));
      String all = names.hashesAll() + "\n" + hashed + "\n" + text;
      byte[] whole = mac.doFinal(all.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(whole, 0, DIGEST_BYTES);
    } catch (GeneralSecurityException none) {
      throw new AssertionError("every JDK has HmacSHA256", none);
    }
  }
}
