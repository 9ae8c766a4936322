package dev.weir.proxy.decision.grpc;

import dev.weir.proxy.decision.proto.ProtoReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The compiled descriptors of messages and services ({@code google.protobuf.FileDescriptorSet}), by
 * file and by declared name. Immutable; any thread.
 */
final class Descriptors {
  /** Fields of {@code FileDescriptorSet} and {@code FileDescriptorProto}. */
  private static final int FILE = 1;

  private static final int NAME = 1;
  private static final int PACKAGE = 2;
  private static final int DEPENDENCY = 3;
  private static final int MESSAGE_TYPE = 4;
  private static final int ENUM_TYPE = 5;
  private static final int SERVICE = 6;

  /** Fields of {@code DescriptorProto} and {@code ServiceDescriptorProto}. */
  private static final int NESTED_TYPE = 3;

  private static final int NESTED_ENUM = 4;
  private static final int METHOD = 2;

  private final Map<String, byte[]> files = new HashMap<>();
  private final Map<String, String> fileBySymbol = new HashMap<>();
  private final Set<String> messages = new HashSet<>();
  private final Set<String> services = new TreeSet<>();

  /** Reads descriptor sets from resources beside the classes; a file may be in several. */
  static Descriptors ofResources(String... names) {
    Descriptors read = new Descriptors();
    for (String name : names) {
      try (InputStream in = Descriptors.class.getResourceAsStream(name)) {
        if (in == null) {
          throw new IllegalStateException(name + " is not among the classes");
        }
        values(in.readAllBytes(), FILE).forEach(read::add);
      } catch (IOException unreadable) {
        throw new UncheckedIOException(unreadable);
      }
    }
    return read;
  }

  private Descriptors() {}

  /** The values of a repeated field of bytes. */
  private static List<byte[]> values(byte[] message, int wanted) {
    List<byte[]> values = new ArrayList<>();
    ProtoReader reader = new ProtoReader().wrap(new UnsafeBuffer(message), 0, message.length);
    for (int field = reader.next(); field != ProtoReader.END; field = reader.next()) {
      if (field == wanted) {
        values.add(reader.copy());
      } else {
        reader.skip();
      }
    }
    return values;
  }

  private static List<String> texts(byte[] message, int field) {
    return values(message, field).stream()
        .map(bytes -> new String(bytes, StandardCharsets.UTF_8))
        .toList();
  }

  private void add(byte[] file) {
    String name = texts(file, NAME).get(0);
    String prefix = texts(file, PACKAGE).get(0) + ".";
    files.put(name, file);
    values(file, MESSAGE_TYPE).forEach(message -> addMessage(prefix, message, name));
    values(file, ENUM_TYPE).forEach(each -> addNamed(prefix, each, name));
    for (byte[] service : values(file, SERVICE)) {
      String fullName = addNamed(prefix, service, name);
      services.add(fullName);
      values(service, METHOD).forEach(method -> addNamed(fullName + ".", method, name));
    }
  }

  private void addMessage(String prefix, byte[] message, String file) {
    String name = addNamed(prefix, message, file);
    messages.add(name);
    values(message, NESTED_TYPE).forEach(nested -> addMessage(name + ".", nested, file));
    values(message, NESTED_ENUM).forEach(nested -> addNamed(name + ".", nested, file));
  }

  /** Adds a declaration; returns its full name. */
  private String addNamed(String prefix, byte[] declaration, String file) {
    String name = prefix + texts(declaration, NAME).get(0);
    fileBySymbol.put(name, file);
    return name;
  }

  /** The full names of all services, in alphabetical order. */
  Set<String> services() {
    return services;
  }

  /** Whether a message has that full name. */
  boolean isMessage(String symbol) {
    return messages.contains(symbol);
  }

  /** The file that declares a message, enumeration, service or method; null if there is none. */
  String fileOf(String symbol) {
    return fileBySymbol.get(symbol);
  }

  /** A file, followed by all its dependencies, each once; empty if there is no such file. */
  List<byte[]> withDependencies(String file) {
    Set<String> names = new LinkedHashSet<>();
    gather(file, names);
    return names.stream().map(files::get).toList();
  }

  private void gather(String file, Set<String> into) {
    if (files.containsKey(file) && into.add(file)) {
      texts(files.get(file), DEPENDENCY).forEach(needed -> gather(needed, into));
    }
  }
}
