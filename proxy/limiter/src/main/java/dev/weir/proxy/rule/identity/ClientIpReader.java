package dev.weir.proxy.rule.identity;

import dev.weir.proxy.request.Ascii;
import dev.weir.proxy.request.FieldName;
import dev.weir.proxy.request.IpAddress;
import dev.weir.proxy.request.RequestView;
import dev.weir.proxy.rule.ClientAddress;
import dev.weir.proxy.rule.spec.CidrSet;
import dev.weir.proxy.rule.spec.IpText;
import org.agrona.DirectBuffer;

/**
 * Finds the client's address: the peer's, unless the peer is a trusted proxy; then the address
 * nearest to us in {@code client-ip-header} that is not a trusted proxy's.
 *
 * <p>All values of the field are one list, which is read from its end. Only entries that a trusted
 * proxy wrote are believed: each is the entry left of a trusted address.
 *
 * <ul>
 *   <li>An entry that is no address ({@code unknown}, {@code _hidden}, a bad port) ends the walk:
 *       the last address before it is the client's. Empty entries are skipped.
 *   <li>If every address is a trusted proxy's, the client is the peer.
 *   <li>After {@value #MAX_ENTRIES} entries the walk ends with the last address read.
 * </ul>
 *
 * One per event loop; allocates nothing.
 */
public final class ClientIpReader implements ClientAddress {
  /** The most entries that are read; no chain of proxies is longer. */
  public static final int MAX_ENTRIES = 64;

  private final CidrSet trusted;
  private final FieldName field;
  private final boolean forwarded;
  private final IpText text = new IpText();
  private long high;
  private long low;
  private int entries;

  public ClientIpReader(IdentitySettings settings) {
    trusted = settings.trustedProxies();
    field = settings.clientIpField().field();
    forwarded = settings.clientIpField() == ClientIpField.FORWARDED;
  }

  @Override
  public void read(RequestView request) {
    IpAddress peer = request.peer().address();
    high = peer.high();
    low = peer.low();
    if (trusted.isEmpty() || !trusted.contains(high, low)) {
      return;
    }
    entries = 0;
    for (int i = request.fieldCount() - 1; i >= 0; i--) {
      if (field.matches(request.bytes(), request.nameOffset(i), request.nameLength(i))
          && walk(request.bytes(), request.valueOffset(i), request.valueLength(i))) {
        return;
      }
    }
    high = peer.high();
    low = peer.low();
  }

  @Override
  public long high() {
    return high;
  }

  @Override
  public long low() {
    return low;
  }

  /** Walks one value from its end; true if the walk is over. */
  private boolean walk(DirectBuffer bytes, int offset, int length) {
    int to = offset + length;
    while (to >= offset) {
      // A comma is always taken for a separator, also inside quotes: no address holds one, and a
      // quote opened by the client must not hide what a proxy appended behind it.
      int from = to;
      while (from > offset && bytes.getByte(from - 1) != ',') {
        from--;
      }
      int first = Ascii.skipBlanks(bytes, from, to);
      int last = Ascii.trimBlanks(bytes, first, to);
      if (entries++ == MAX_ENTRIES) {
        return true;
      }
      if (first < last) {
        boolean read =
            forwarded ? parseElement(bytes, first, last) : text.parseNode(bytes, first, last);
        if (!read) {
          return true;
        }
        high = text.high();
        low = text.low();
        if (!trusted.contains(high, low)) {
          return true;
        }
      }
      to = from - 1;
    }
    return false;
  }

  /** One element of Forwarded: pairs with semicolons between, exactly one of them {@code for}. */
  private boolean parseElement(DirectBuffer bytes, int from, int to) {
    boolean found = false;
    for (int at = from; at < to; ) {
      int end = at;
      while (end < to && bytes.getByte(end) != ';') {
        end++;
      }
      int first = Ascii.skipBlanks(bytes, at, end);
      if (isFor(bytes, first, end)) {
        if (found || !parseValue(bytes, first + 4, Ascii.trimBlanks(bytes, first, end))) {
          return false;
        }
        found = true;
      }
      at = end + 1;
    }
    return found;
  }

  private static boolean isFor(DirectBuffer bytes, int at, int to) {
    return to - at >= 4
        && (bytes.getByte(at) | 0x20) == 'f'
        && (bytes.getByte(at + 1) | 0x20) == 'o'
        && (bytes.getByte(at + 2) | 0x20) == 'r'
        && bytes.getByte(at + 3) == '=';
  }

  private boolean parseValue(DirectBuffer bytes, int from, int to) {
    if (to - from >= 2 && bytes.getByte(from) == '"' && bytes.getByte(to - 1) == '"') {
      return text.parseNode(bytes, from + 1, to - 1);
    }
    return text.parseNode(bytes, from, to);
  }
}
