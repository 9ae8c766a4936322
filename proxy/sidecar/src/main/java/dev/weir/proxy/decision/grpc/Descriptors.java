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
 * The compiled descriptions of messages and services ({@code google.protobuf.FileDescriptorSet}),
 * by file and by what each declares. Immutable; any thread.
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
  private final Map<String, List<String>> dependencies = new HashMap<>();
  private final Map<String, String> fileBySymbol = new HashMap<>();
  private final Set<String> messages = new HashSet<>();
  private final Set<String> services = new TreeSet<>();

  /** Reads resources beside the classes: each a set, of which the same files may be in several. */
  static Descriptors ofResources(String... names) {
    Descriptors read = new Descriptors();
    for (String name : names) {
      try (InputStream in = Descriptors.class.getResourceAsStream(name)) {
        if (in == null) {
          throw new IllegalStateException(name + " is not among the classes");
        }
        read.addSet(in.readAllBytes());
      } catch (IOException unreadable) {
        throw new UncheckedIOException(unreadable);
      }
    }
    return read;
  }

  private Descriptors() {}

  private void addSet(byte[] set) {
    ProtoReader reader = new ProtoReader().wrap(new UnsafeBuffer(set), 0, set.length);
    for (int field = reader.next(); field != ProtoReader.END; field = reader.next()) {
      if (field == FILE) {
        reader.bytes();
        add(bytes(reader));
      } else {
        reader.skip();
      }
    }
  }

  private static byte[] bytes(ProtoReader reader) {
    byte[] bytes = new byte[reader.length()];
    reader.source().getBytes(reader.offset(), bytes);
    return bytes;
  }

  private static String text(ProtoReader reader) {
    reader.text();
    return new String(bytes(reader), StandardCharsets.UTF_8);
  }

  private void add(byte[] file) {
    String name = "";
    String prefix = "";
    List<String> needed = new ArrayList<>();
    ProtoReader reader = reader(file);
    for (int field = reader.next(); field != ProtoReader.END; field = reader.next()) {
      switch (field) {
        case NAME -> name = text(reader);
        case PACKAGE -> prefix = text(reader) + ".";
        case DEPENDENCY -> needed.add(text(reader));
        default -> reader.skip();
      }
    }
    files.put(name, file);
    dependencies.put(name, needed);
    reader = reader(file);
    for (int field = reader.next(); field != ProtoReader.END; field = reader.next()) {
      switch (field) {
        case MESSAGE_TYPE -> addMessage(prefix, reader, name);
        case ENUM_TYPE -> addNamed(prefix, reader, name, 0);
        case SERVICE -> services.add(addNamed(prefix, reader, name, METHOD));
        default -> reader.skip();
      }
    }
  }

  private static ProtoReader reader(byte[] bytes) {
    return new ProtoReader().wrap(new UnsafeBuffer(bytes), 0, bytes.length);
  }

  private void addMessage(String prefix, ProtoReader outer, String file) {
    outer.bytes();
    byte[] message = bytes(outer);
    String name = prefix + name(message);
    fileBySymbol.put(name, file);
    messages.add(name);
    ProtoReader reader = reader(message);
    for (int field = reader.next(); field != ProtoReader.END; field = reader.next()) {
      switch (field) {
        case NESTED_TYPE -> addMessage(name + ".", reader, file);
        case NESTED_ENUM -> addNamed(name + ".", reader, file, 0);
        default -> reader.skip();
      }
    }
  }

  private static String name(byte[] declaration) {
    String name = "";
    ProtoReader reader = reader(declaration);
    for (int field = reader.next(); field != ProtoReader.END; field = reader.next()) {
      if (field == NAME) {
        name = text(reader);
      } else {
        reader.skip();
      }
    }
    return name;
  }

  /**
   * Adds a declaration, and those within it that are in one field.
   *
   * @param inner the field; 0 if there is none.
   */
  private String addNamed(String prefix, ProtoReader outer, String file, int inner) {
    outer.bytes();
    byte[] declaration = bytes(outer);
    String name = prefix + name(declaration);
    fileBySymbol.put(name, file);
    ProtoReader reader = reader(declaration);
    for (int field = reader.next(); field != ProtoReader.END; field = reader.next()) {
      if (field == inner) {
        addNamed(name + ".", reader, file, 0);
      } else {
        reader.skip();
      }
    }
    return name;
  }

  /** The full names of all services, in the order of the alphabet. */
  Set<String> services() {
    return services;
  }

  /** Whether that is the full name of a type of messages. */
  boolean isMessage(String symbol) {
    return messages.contains(symbol);
  }

  /** The file that declares a message, enumeration, service or method; null if none does. */
  String fileOf(String symbol) {
    return fileBySymbol.get(symbol);
  }

  /** A file and all that it needs, each once, it first; none if it is not there. */
  List<byte[]> withDependencies(String file) {
    Set<String> names = new LinkedHashSet<>();
    gather(file, names);
    return names.stream().map(files::get).toList();
  }

  private void gather(String file, Set<String> into) {
    if (files.containsKey(file) && into.add(file)) {
      dependencies.get(file).forEach(needed -> gather(needed, into));
    }
  }
}
