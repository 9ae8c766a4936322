package dev.weir.proxy.wiring;

import dev.weir.proxy.admission.StoreNames;
import dev.weir.proxy.records.redis.UserNames;
import dev.weir.proxy.rule.RuleSet;
import dev.weir.proxy.rule.identity.Identity;
import dev.weir.proxy.rule.identity.IdentityText;
import dev.weir.proxy.rule.spec.KeyPart;
import dev.weir.proxy.rule.spec.KeySpec;
import dev.weir.proxy.rule.spec.UsersSpec;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Names of users in Redis: their identities, percent-encoded; of secret ones a hash, under the key
 * of names of budgets. A named identity is secret if one of its sources is. Any thread.
 */
final class DirectoryNames implements UnaryOperator<String> {
  private final StoreNames names;
  private final Supplier<RuleSet> rules;
  private final IdentityText hash;
  private final UnsafeBuffer name = new UnsafeBuffer(new byte[IdentityText.MAX_BYTES]);

  /**
   * @param rules say who the users are.
   */
  DirectoryNames(StoreNames names, Supplier<RuleSet> rules) {
    this.names = names;
    this.rules = rules;
    hash = new IdentityText(true, Set.of(), names.hashKeyInUse());
  }

  @Override
  public String apply(String identity) {
    UsersSpec users = rules.get().users();
    boolean isHashed = names.hashesAll() || users != null && isSecret(users.identity().part(0));
    return isHashed ? hash(identity) : UserNames.of(identity);
  }

  private boolean isSecret(KeyPart part) {
    return names.hashed().contains(part)
        || (part.sourceCount() == 0 ? part.isSecret() : part.find(this::isSecret) != null);
  }

  private synchronized String hash(String identity) {
    UnsafeBuffer value = new UnsafeBuffer(identity.getBytes(StandardCharsets.UTF_8));
    int end = hash.write(KeySpec.ALL, new Value(value), name, 0);
    return name.getStringWithoutLengthAscii(0, end);
  }

  private record Value(DirectBuffer bytes) implements Identity {
    @Override
    public long hash() {
      throw new IllegalStateException("only its bytes are known");
    }

    @Override
    public int length() {
      return bytes.capacity();
    }
  }
}
