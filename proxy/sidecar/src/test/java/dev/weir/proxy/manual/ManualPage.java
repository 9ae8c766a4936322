package dev.weir.proxy.manual;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** One page of the manual, README.md or a file of docs/, as tests read it. */
public final class ManualPage {
  private static final Pattern FENCE = Pattern.compile("( *)```(\\S*) *");
  private static final Pattern WORD = Pattern.compile("(?:[^\\s'\"]|'[^']*'|\"[^\"]*\")+");

  /**
   * A fenced block.
   *
   * @param language what stands behind the fence, such as {@code sh}; empty if nothing does.
   * @param line of its first line of content, from 1.
   */
  public record Block(ManualPage page, int line, String language, String text) {
    @Override
    public String toString() {
      return page + ":" + line + " (" + language + ")";
    }

    /** The commands of a shell's block, one line each, without comments. */
    public List<String> commands() {
      return text.replace("\\\n", " ")
          .lines()
          .map(line -> line.replaceFirst("(^|\\s+)# .*", "").strip())
          .filter(line -> !line.isEmpty())
          .toList();
    }
  }

  private final Path path;
  private final List<String> lines;

  private ManualPage(Path path) {
    this.path = path;
    try {
      lines = Files.readAllLines(path);
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  /** The folder of the repository. */
  public static Path root() {
    Path folder = Path.of("").toAbsolutePath();
    while (!Files.exists(folder.resolve("mvnw"))) {
      folder = folder.getParent();
    }
    return folder;
  }

  /** A page by its path from the repository's folder. */
  public static ManualPage of(String path) {
    return new ManualPage(root().resolve(path));
  }

  /** README.md, and what is directly in docs/. */
  public static List<ManualPage> all() {
    List<ManualPage> pages = new ArrayList<>(List.of(of("README.md")));
    try (Stream<Path> files = Files.list(root().resolve("docs"))) {
      files
          .filter(file -> file.toString().endsWith(".md"))
          .sorted()
          .map(ManualPage::new)
          .forEach(pages::add);
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
    return pages;
  }

  /** Every fenced block of every page, of one language. */
  public static List<Block> blocks(String language) {
    return all().stream()
        .flatMap(page -> page.blocks().stream())
        .filter(block -> block.language().equals(language))
        .toList();
  }

  /** Every fenced block, without the indent of a list that it stands in. */
  public List<Block> blocks() {
    List<Block> blocks = new ArrayList<>();
    for (int i = 0; i < lines.size(); i++) {
      Matcher fence = FENCE.matcher(lines.get(i));
      if (fence.matches()) {
        int first = ++i;
        StringBuilder text = new StringBuilder();
        while (!lines.get(i).equals(fence.group(1) + "```")) {
          String line = lines.get(i++);
          text.append(line.isEmpty() ? line : line.substring(fence.group(1).length())).append('\n');
        }
        blocks.add(new Block(this, first + 1, fence.group(2), text.toString()));
      }
    }
    return blocks;
  }

  /** The cells of every row of its tables that starts with a name in backticks. */
  public List<List<String>> rows() {
    return lines.stream()
        .filter(line -> line.startsWith("| `"))
        .map(line -> List.of(line.substring(2).split(" \\|( |$)")))
        .toList();
  }

  /** A command's words, as a shell splits them: quoted ones whole, and without their quotes. */
  public static List<String> words(String command) {
    return WORD.matcher(command)
        .results()
        .map(word -> word.group().replaceAll("['\"]", ""))
        .toList();
  }

  @Override
  public String toString() {
    return root().relativize(path.toAbsolutePath().normalize()).toString();
  }
}
