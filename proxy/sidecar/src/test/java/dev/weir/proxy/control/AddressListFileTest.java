package dev.weir.proxy.control;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.watch.Reloads;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AddressListFileTest {
  @TempDir private Path folder;
  private final Reloads reloads = new Reloads();
  private Path path;
  private int changes;

  @BeforeEach
  void write() throws IOException {
    path = folder.resolve("block.txt");
    Files.writeString(path, "# ours\n\n10.0.0.0/8\n 2001:db8::7 # caf\u00e9\r\n192.0.2.7");
  }

  private AddressListFile open() throws IOException {
    return new AddressListFile("lists.block", path, reloads, () -> changes++);
  }

  private static String text(AddressListFile file) {
    return file.networks().toString();
  }

  @Test
  void readsOneNetworkALine() throws IOException {
    assertEquals("[10.0.0.0/8, 2001:db8::7/128, 192.0.2.7/32]", text(open()));
    assertEquals(0, changes);
  }

  @Test
  void takesAChangedFileOnceItWasReadTwice() throws IOException {
    AddressListFile file = open();
    Files.writeString(path, "10.1.0.0/16\n");
    file.poll();
    assertEquals(0, changes);
    file.poll();
    assertEquals("[10.1.0.0/16]", text(file));
    Files.writeString(path, "");
    file.reload();
    assertEquals("[]", text(file));
    assertEquals(2, changes);
    assertEquals(2, reloads.takenCount());
  }

  /** A file that has been as it is for long is not read; another one in its place is. */
  @Test
  void seesAnOldFileThatTakesThePlaceOfAnOldFile() throws IOException {
    FileTime longAgo = FileTime.fromMillis(1_000_000_000_000L);
    Files.setLastModifiedTime(path, longAgo);
    AddressListFile file = open();
    file.poll();
    Path other = folder.resolve("other");
    Files.writeString(other, "# ours\n\n11.0.0.0/8\n 2001:db8::7 # caf\u00e9\r\n192.0.2.7");
    Files.setLastModifiedTime(other, longAgo);
    Files.delete(path);
    Files.move(other, path);
    file.poll();
    file.poll();
    assertEquals("[11.0.0.0/8, 2001:db8::7/128, 192.0.2.7/32]", text(file));
  }

  @Test
  void keepsTheLastGoodNetworksWhileTheFileHasAFaultOrIsGone() throws IOException {
    AddressListFile file = open();
    Files.writeString(path, "10.1.0.0/16\n10.0.0.1/8\n");
    file.poll();
    file.poll();
    Files.delete(path);
    file.poll();
    file.poll();
    assertEquals("[10.0.0.0/8, 2001:db8::7/128, 192.0.2.7/32]", text(file));
    assertEquals(0, changes);
    assertEquals(2, reloads.rejectedCount());
  }

  @Test
  void aGoodFileDoesNotHideThatAnotherIsRejected() throws IOException {
    AddressListFile block = open();
    Path allowPath = folder.resolve("allow.txt");
    Files.writeString(allowPath, "192.0.2.7");
    AddressListFile allow = new AddressListFile("lists.allow", allowPath, reloads, () -> changes++);
    Files.writeString(path, "bad");
    block.reload();
    Files.writeString(allowPath, "192.0.2.8");
    allow.reload();
    assertFalse(reloads.isLastTaken());
    assertEquals(1, reloads.takenCount());
    Files.writeString(path, "192.0.2.9");
    block.reload();
    assertTrue(reloads.isLastTaken());
  }

  /** As after a copy that keeps the time. */
  @Test
  void aReloadReadsAFileThatLooksAsBefore() throws IOException {
    FileTime longAgo = FileTime.fromMillis(1_000_000_000_000L);
    Files.writeString(path, "10.0.0.0/8");
    Files.setLastModifiedTime(path, longAgo);
    AddressListFile file = open();
    Files.writeString(path, "11.0.0.0/8");
    Files.setLastModifiedTime(path, longAgo);
    file.reload();
    assertEquals("[11.0.0.0/8]", text(file));
  }

  @Test
  void namesTheLineOfAFault() throws IOException {
    assertFault(
        "10.0.0.0/8\n\nexample.com\n",
        ":3: example.com (expected: an address or range"
            + " such as 192.0.2.7, 10.0.0.0/8 or 2001:db8::/32)");
    assertFault("10.0.0.1/8", ":1: 10.0.0.1/8 (expected: no bits beyond the prefix: 10.0.0.0/8)");
    assertFault(
        "10.0.0.0/8,10.0.0.0/9",
        ":1: 10.0.0.0/8,10.0.0.0/9 (expected: a prefix length of" + " 0 to 32)");
    Files.delete(path);
    assertEquals(
        "lists.block: " + path + ": not found (expected: a file)",
        assertThrows(IOException.class, this::open).getMessage());
  }

  private void assertFault(String content, String expected) throws IOException {
    Files.writeString(path, content);
    assertEquals(
        "lists.block: " + path + expected,
        assertThrows(IOException.class, this::open).getMessage());
  }

  @Test
  void boundsTheNetworksOfAFile() throws IOException {
    String full =
        IntStream.range(0, AddressListFile.MOST_NETWORKS)
            .mapToObj(i -> "10." + (i >> 16) + "." + (i >> 8 & 255) + "." + (i & 255))
            .collect(Collectors.joining("\n"));
    Files.writeString(path, full);
    assertEquals(AddressListFile.MOST_NETWORKS, open().networks().size());
    assertFault(full + "\n::1", ":200001: one more network (expected: at most 200000)");
  }
}
