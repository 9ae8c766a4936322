import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassFile.ClassHierarchyResolverOption;
import java.lang.classfile.ClassFile.ConstantPoolSharingOption;
import java.lang.classfile.ClassFile.DebugElementsOption;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeTransform;
import java.lang.constant.ClassDesc;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * Takes the tables of local variables, which only a debugger reads, out of all classes in a folder;
 * line numbers stay, as stack traces have them.
 *
 * <pre>java deploy/packages/WithoutLocals.java FOLDER</pre>
 *
 * <p>Writing a method again means to find the types at its joints again. A class for which that
 * takes a library that is not in the folder stays as it is; one in which a verifier then finds a new
 * fault ends all this.
 */
public final class WithoutLocals {
  private final Path folder;
  private final ClassFile format;

  private WithoutLocals(Path folder) {
    this.folder = folder;
    format =
        ClassFile.of(
            DebugElementsOption.DROP_DEBUG,
            ConstantPoolSharingOption.NEW_POOL,
            ClassHierarchyResolverOption.of(ClassHierarchyResolver.ofResourceParsing(this::open)));
  }

  public static void main(String[] arguments) throws IOException {
    WithoutLocals all = new WithoutLocals(Path.of(arguments[0]));
    List<Path> classes;
    try (Stream<Path> files = Files.walk(all.folder)) {
      classes = files.filter(file -> file.toString().endsWith(".class")).toList();
    }
    for (Path each : classes) {
      all.rewrite(each);
    }
  }

  private void rewrite(Path file) throws IOException {
    ClassModel original = format.parse(file);
    byte[] rewritten;
    try {
      rewritten =
          format.transformClass(
              original, ClassTransform.transformingMethodBodies(CodeTransform.ACCEPT_ALL));
    } catch (IllegalArgumentException e) {
      System.err.println("as it was: " + folder.relativize(file) + ": " + e.getMessage());
      return;
    }
    List<VerifyError> faults = format.verify(rewritten);
    if (faults.size() > format.verify(original).size()) {
      throw new IOException(file + ": " + faults.get(0).getMessage());
    }
    Files.write(file, rewritten);
  }

  private InputStream open(ClassDesc name) {
    String descriptor = name.descriptorString();
    String file = descriptor.substring(1, descriptor.length() - 1) + ".class";
    try {
      return Files.exists(folder.resolve(file))
          ? Files.newInputStream(folder.resolve(file))
          : ClassLoader.getSystemResourceAsStream(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
