package dev.redline.server.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * A fenced block of a Markdown file.
 *
 * @param place the file and the line of the fence
 * @param language the first word after the fence
 * @param checked whether tests run or read it; not if the second word after the fence is {@code
 *     unchecked}
 */
record FencedBlock(String place, String language, boolean checked, List<String> lines) {
  private static final Path ROOT = Path.of("..");

  /** Returns the README and the files of {@code docs}. */
  static List<Path> files() {
    try (Stream<Path> docs = Files.list(ROOT.resolve("docs"))) {
      return Stream.concat(Stream.of(ROOT.resolve("README.md")), docs.sorted())
          .filter(file -> file.toString().endsWith(".md"))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the blocks of a file that tests run or read, in their order. */
  static List<FencedBlock> checkedIn(Path file) {
    return in(file).stream().filter(FencedBlock::checked).toList();
  }

  private static List<FencedBlock> in(Path file) {
    List<FencedBlock> blocks = new ArrayList<>();
    FencedBlock open = null;
    int indent = 0;
    int number = 0;
    for (String line : lines(file)) {
      number++;
      String stripped = line.stripLeading();
      if (!stripped.startsWith("```")) {
        if (open != null) {
          open.lines.add(line.substring(Math.min(indent, line.length() - stripped.length())));
        }
      } else if (open != null) {
        blocks.add(open);
        open = null;
      } else {
        indent = line.length() - stripped.length();
        String[] info = stripped.substring(3).strip().split("\\s+", -1);
        boolean checked = info.length < 2 || !info[1].equals("unchecked");
        String place = file.getFileName() + ":" + number;
        open = new FencedBlock(place, info[0], checked, new ArrayList<>());
      }
    }
    if (open != null) {
      throw new IllegalStateException(open.place + ": the block does not end");
    }
    return blocks;
  }

  private static List<String> lines(Path file) {
    try {
      return Files.readAllLines(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the content as one text. */
  String text() {
    return String.join("\n", lines) + "\n";
  }
}
