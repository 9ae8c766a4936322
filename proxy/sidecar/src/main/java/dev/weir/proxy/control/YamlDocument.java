package dev.weir.proxy.control;

import dev.weir.proxy.watch.SmallFile;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.schema.JsonSchema;

/**
 * A file's content as nodes of YAML, each with its line. Aliases are nodes that stand in several
 * places: who follows them has to bound what they amount to.
 */
public final class YamlDocument {
  private YamlDocument() {}

  /**
   * Reads the only document of a file.
   *
   * @param expected what an empty file should have had.
   * @return null, and a fault, if it is none.
   */
  public static Node compose(byte[] content, String expected, Faults faults) {
    String text;
    try {
      text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(content)).toString();
    } catch (CharacterCodingException malformed) {
      faults.add(0, "", "not UTF-8");
      return null;
    }
    LoadSettings settings =
        LoadSettings.builder()
            .setSchema(new JsonSchema())
            .setCodePointLimit(SmallFile.MAX_BYTES)
            .setAllowNonScalarKeys(true)
            .setMaxAliasesForCollections(Integer.MAX_VALUE)
            .build();
    try {
      Optional<Node> root = new Compose(settings).composeString(text);
      if (root.isEmpty()) {
        faults.add(0, "", "empty (expected: " + expected + ")");
      }
      return root.orElse(null);
    } catch (MarkedYamlEngineException syntax) {
      int line = syntax.getProblemMark().map(mark -> mark.getLine() + 1).orElse(1);
      String context = syntax.getContext();
      String problem = syntax.getProblem();
      faults.add(line, "", context == null ? problem : context + ", " + problem);
    } catch (YamlEngineException unreadable) {
      faults.add(0, "", "not YAML: " + Faults.printable(String.valueOf(unreadable.getMessage())));
    } catch (StackOverflowError deep) {
      faults.add(0, "", "nested too deeply");
    }
    return null;
  }

  /** The line of a node, from 1. */
  public static int line(Node node) {
    return node.getStartMark().map(mark -> mark.getLine() + 1).orElse(1);
  }
}
