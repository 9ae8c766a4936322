package dev.weir.proxy.store.map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Maps read from answers of CLUSTER SLOTS. */
class ShardMapReaderTest {
  private static final InetSocketAddress ASKED = new InetSocketAddress("127.0.0.9", 7000);

  private final ShardMapReader reader = new ShardMapReader(StoreSettings.NONE, null);

  private static List<Object> node(String host, int port) {
    byte[] bytes = host == null ? null : host.getBytes(StandardCharsets.UTF_8);
    return Arrays.asList(bytes, (long) port, "id".getBytes(StandardCharsets.UTF_8));
  }

  private static List<Object> range(int first, int last, Object... nodes) {
    List<Object> range = new ArrayList<>(List.of((long) first, (long) last));
    range.addAll(List.of(nodes));
    return range;
  }

  private ShardMap parse(Object... ranges) throws IOException {
    return reader.parse(ASKED, List.of(ranges));
  }

  private static SocketAddress at(int lastByte, int port) {
    return new InetSocketAddress("127.0.0." + lastByte, port);
  }

  @Test
  void givesEachPartitionToTheMasterOfItsSlot() throws IOException {
    ShardMap map =
        parse(
            range(0, 8191, node("127.0.0.1", 1), node("127.0.0.3", 3)),
            range(8192, 16383, node("127.0.0.2", 2), node("127.0.0.4", 4)));
    for (int partition = 0; partition < Partitions.COUNT; partition++) {
      SocketAddress owner = Partitions.slot(partition) < 8192 ? at(1, 1) : at(2, 2);
      assertEquals(owner, map.server(partition));
    }
    assertEquals(Set.of(at(1, 1), at(2, 2)), Set.copyOf(map.servers()));
    assertEquals(List.of(at(3, 3), at(4, 4)), map.standbys());
  }

  @Test
  void isTheSameWhateverTheOrderOfTheRanges() throws IOException {
    List<Object> one = range(0, 5000, node("127.0.0.1", 1), node("127.0.0.3", 3));
    List<Object> two = range(5001, 9000, node("127.0.0.2", 2), node("127.0.0.4", 4));
    List<Object> three = range(9001, 16383, node("127.0.0.1", 1), node("127.0.0.3", 3));
    assertEquals(parse(one, two, three), parse(three, two, one));
    assertEquals(parse(one, two, three).hashCode(), parse(three, two, one).hashCode());
    assertNotEquals(parse(one, two, three), parse(one, three));
  }

  @Test
  void showsOfANameThatAServerMadeUpWhatFitsALine() {
    Executable read = () -> parse(range(0, 16383, node("\u001b[2J" + "a".repeat(100_000), 1)));
    String told = assertThrows(IOException.class, read).getMessage();
    assertTrue(told.startsWith("redis \\x1b[2Jaaa"), told.substring(0, 20));
    assertTrue(told.length() < 400, told.length() + " characters");
  }

  @Test
  void leavesPartitionsWhoseSlotsNobodyHasWithoutAServer() throws IOException {
    int slot = Partitions.slot(7);
    ShardMap map = parse(range(slot, slot, node("127.0.0.1", 1)));
    assertEquals(at(1, 1), map.server(7));
    assertNull(map.server(8));
    assertEquals(List.of(at(1, 1)), map.servers());
    assertEquals(List.of(), parse().servers());
  }

  @Test
  void partitionsThatNobodyHasStayWithWhoHadThem() throws IOException {
    ShardMap before =
        parse(range(0, 8191, node("127.0.0.1", 1)), range(8192, 16383, node("127.0.0.2", 2)));
    ShardMap gap = parse(range(0, 8191, node("127.0.0.3", 3), node("127.0.0.1", 1)));
    ShardMap filled = gap.filledFrom(before);
    for (int partition = 0; partition < Partitions.COUNT; partition++) {
      assertEquals(
          Partitions.slot(partition) < 8192 ? at(3, 3) : at(2, 2), filled.server(partition));
    }
    assertEquals(List.of(at(1, 1)), filled.standbys());
    assertEquals(gap, gap.filledFrom(ShardMap.EMPTY));
    assertEquals(before, before.filledFrom(gap));
  }

  @Test
  void namesNoServerWithoutAPartition() throws IOException {
    int slot = Partitions.slot(0);
    ShardMap map =
        parse(
            range(slot, slot, node("127.0.0.1", 1)),
            range(slot + 1, slot + 1, node("127.0.0.2", 2)));
    assertEquals(List.of(at(1, 1)), map.servers());
  }

  @Test
  void takesTheHostThatWasAskedWhereTheServerDoesNotKnowItsOwn() throws IOException {
    assertEquals(at(9, 1), parse(range(0, 16383, node("", 1))).server(0));
    assertEquals(at(9, 1), parse(range(0, 16383, node(null, 1))).server(0));
  }

  @Test
  void looksNamesUp() throws IOException {
    InetSocketAddress found =
        (InetSocketAddress) parse(range(0, 16383, node("localhost", 1))).server(0);
    assertEquals("localhost", found.getHostString());
    assertEquals(false, found.isUnresolved());
  }

  @Test
  void namesAHostThatIsUnknown() {
    IOException unknown =
        assertThrows(IOException.class, () -> parse(range(0, 16383, node("nowhere.invalid", 1))));
    assertEquals(
        "redis nowhere.invalid:1 (expected: a host name that resolves)", unknown.getMessage());
  }
}
