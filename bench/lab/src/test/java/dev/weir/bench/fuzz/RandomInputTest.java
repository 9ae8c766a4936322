package dev.weir.bench.fuzz;

import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The parsers, on new inputs in every build, few but never the same: made of the committed ones.
 */
class RandomInputTest {
  private static final int INPUTS = 10_000;

  @ParameterizedTest
  @EnumSource
  void holdsWhateverComes(FuzzTarget target) throws Exception {
    List<byte[]> corpus = corpus(target);
    assertFalse(corpus.isEmpty(), "no corpus");
    Mutator mutator = new Mutator(new Random(), corpus);
    for (int i = 0; i < INPUTS; i++) {
      byte[] input = mutator.next();
      try {
        target.run(input);
      } catch (RuntimeException | Error wrong) {
        throw new AssertionError(
            "input " + HexFormat.of().formatHex(input) + ", to be added to the corpus", wrong);
      }
    }
  }

  private static List<byte[]> corpus(FuzzTarget target) throws IOException, URISyntaxException {
    Path folder =
        Path.of(CorpusTest.class.getResource("CorpusTestInputs/" + target.folder()).toURI());
    List<byte[]> inputs = new ArrayList<>();
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.sorted().toList()) {
        inputs.add(Files.readAllBytes(file));
      }
    }
    return inputs;
  }
}
