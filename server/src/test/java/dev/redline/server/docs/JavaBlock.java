package dev.redline.server.docs;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;

/**
 * A Java block of a document: imports, then types, then statements. What {@code println} prints is
 * said in a comment on its line, {@code // prints …}.
 */
record JavaBlock(String document, int line, String text) {
  private static final Pattern BLOCK = Pattern.compile("(?ms)^```java\\n(.*?)^```$");
  private static final Pattern PRINTS = Pattern.compile("// prints (.*)$", Pattern.MULTILINE);
  private static final Pattern TYPE =
      Pattern.compile("(?ms)^(?:final class|class|record|interface) .*?^}\\n");
  private static final Pattern IMPORT = Pattern.compile("(?m)^import .*;\\n");

  /** Returns all Java blocks of a document. */
  static List<JavaBlock> of(Path document) throws IOException {
    String text = Files.readString(document);
    List<JavaBlock> blocks = new ArrayList<>();
    Matcher matcher = BLOCK.matcher(text);
    while (matcher.find()) {
      int line = (int) text.substring(0, matcher.start()).lines().count() + 1;
      blocks.add(new JavaBlock(document.getFileName().toString(), line, matcher.group(1)));
    }
    return blocks;
  }

  /** Returns the block with other text in place of some that only holds on a reader's machine. */
  JavaBlock with(String written, String used) {
    return new JavaBlock(document, line, text.replace(written, used));
  }

  /** Returns what the block says that it prints. */
  List<String> promised() {
    return PRINTS.matcher(text).results().map(found -> found.group(1).strip()).toList();
  }

  /** Compiles and runs the block in a folder; returns the lines that it prints. */
  List<String> run(Path folder) throws Exception {
    Path source = folder.resolve("Block.java");
    Files.writeString(source, source());
    ByteArrayOutputStream errors = new ByteArrayOutputStream();
    int failed =
        ToolProvider.getSystemJavaCompiler()
            .run(
                null,
                errors,
                errors,
                "-proc:none",
                "-cp",
                System.getProperty("java.class.path"),
                "-d",
                folder.toString(),
                source.toString());
    if (failed != 0) {
      throw new AssertionError(this + " does not compile:\n" + errors);
    }
    PrintStream original = System.out;
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    try (URLClassLoader loader = new URLClassLoader(new URL[] {folder.toUri().toURL()})) {
      System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
      loader.loadClass("Block").getMethod("run").invoke(null);
    } finally {
      System.setOut(original);
    }
    return printed.toString(StandardCharsets.UTF_8).lines().toList();
  }

  private String source() {
    String body = TYPE.matcher(IMPORT.matcher(text).replaceAll("")).replaceAll("");
    StringBuilder source = new StringBuilder();
    IMPORT.matcher(text).results().forEach(found -> source.append(found.group()));
    source.append("public class Block {\n  public static void run() throws Exception {\n");
    source.append(body).append("  }\n}\n");
    TYPE.matcher(text).results().forEach(found -> source.append(found.group()));
    return source.toString();
  }

  @Override
  public String toString() {
    return document + ":" + line;
  }
}
