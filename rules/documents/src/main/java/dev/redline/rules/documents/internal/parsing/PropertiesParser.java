package dev.redline.rules.documents.internal.parsing;

import dev.redline.rules.documents.internal.parsing.Node.Entry;
import dev.redline.rules.documents.internal.parsing.Node.Mapping;
import dev.redline.rules.documents.internal.parsing.Node.Scalar;
import dev.redline.rules.documents.internal.parsing.Node.Sequence;
import java.io.IOException;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/**
 * Turns a properties file into the same tree of {@link Node}s that YAML becomes: {@code
 * rules[0].bands[1].capacity=10}. A bracket that holds no number is a name that may contain dots:
 * {@code rules[0].metadata[a.b]=c}. Values are typed as unquoted YAML is.
 */
public final class PropertiesParser {
  private static final int MAX_DEPTH = 64;
  private static final int MAX_INDEX_DIGITS = 6;

  private final Branch root = new Branch(1);

  /** A node under construction: a value, or names with branches; items of a list have numbers. */
  private static final class Branch {
    private final Map<Object, Branch> children = new LinkedHashMap<>();
    private final int line;
    private @Nullable String value;

    Branch(int line) {
      this.line = line;
    }

    boolean isList() {
      return children.keySet().stream().anyMatch(Integer.class::isInstance);
    }
  }

  /** Returns the root, or null if the text holds no property. */
  public static @Nullable Node parse(String text) throws SyntaxException {
    PropertiesParser parser = new PropertiesParser();
    parser.read(text);
    return parser.root.children.isEmpty() ? null : node(parser.root, "");
  }

  private void read(String text) throws SyntaxException {
    List<String> lines = text.lines().toList();
    for (int i = 0; i < lines.size(); i++) {
      int first = i;
      String start = lines.get(i).stripLeading();
      if (start.isEmpty() || start.startsWith("#") || start.startsWith("!")) {
        continue;
      }
      StringBuilder logical = new StringBuilder(lines.get(i));
      while (continues(lines.get(i)) && i + 1 < lines.size()) {
        logical.append('\n').append(lines.get(++i));
      }
      property(first + 1, logical.toString());
    }
  }

  /** Returns whether a line ends in an odd number of backslashes. */
  private static boolean continues(String line) {
    int end = line.length();
    while (end > 0 && line.charAt(end - 1) == '\\') {
      end--;
    }
    return (line.length() - end) % 2 == 1;
  }

  /** Leaves separators and escapes to the JDK, one property at a time so that lines are known. */
  private void property(int line, String text) throws SyntaxException {
    Properties one = new Properties();
    try {
      one.load(new StringReader(text));
    } catch (IOException | IllegalArgumentException e) {
      throw new SyntaxException(line, "not a valid property: " + e.getMessage());
    }
    for (String name : one.stringPropertyNames()) {
      put(line, name, one.getProperty(name, "").strip());
    }
  }

  private void put(int line, String name, String value) throws SyntaxException {
    Branch branch = root;
    List<Object> steps = steps(line, name);
    for (Object step : steps) {
      if (branch.value != null) {
        throw new SyntaxException(
            line, "'" + name + "' goes on where line " + branch.line + " has a value");
      }
      branch = branch.children.computeIfAbsent(step, key -> new Branch(line));
    }
    if (branch.value != null || !branch.children.isEmpty()) {
      throw new SyntaxException(
          line, "'" + name + "' is given twice, first at line " + branch.line);
    }
    branch.value = value;
  }

  /** Returns the path of a value: texts are names, integers are indexes of a list. */
  private static List<Object> steps(int line, String name) throws SyntaxException {
    List<Object> steps = new ArrayList<>();
    int at = 0;
    while (at < name.length()) {
      boolean bracket = name.charAt(at) == '[';
      int start = bracket ? at + 1 : at;
      int end = bracket ? name.indexOf(']', at) : endOfName(name, at);
      if (end <= start || steps.size() == MAX_DEPTH || (at == 0 && bracket)) {
        throw new SyntaxException(
            line, "'" + name + "' is no name of a property; write rules[0].id, for example");
      }
      String word = name.substring(start, end);
      steps.add(bracket && isIndex(word) ? (Object) Integer.valueOf(word) : word);
      at = bracket ? end + 1 : end;
      if (at < name.length() && name.charAt(at) == '.') {
        at++;
      }
    }
    return steps;
  }

  private static int endOfName(String name, int from) {
    int end = from;
    while (end < name.length() && name.charAt(end) != '.' && name.charAt(end) != '[') {
      end++;
    }
    return end;
  }

  private static boolean isIndex(String word) {
    return word.length() <= MAX_INDEX_DIGITS && word.chars().allMatch(c -> c >= '0' && c <= '9');
  }

  private static Node node(Branch branch, String name) throws SyntaxException {
    if (branch.value != null) {
      return new Scalar(branch.value, true, branch.line);
    }
    return branch.isList() ? list(branch, name) : mapping(branch, name);
  }

  private static Node mapping(Branch branch, String name) throws SyntaxException {
    List<Entry> entries = new ArrayList<>();
    for (Map.Entry<Object, Branch> child : branch.children.entrySet()) {
      String key = child.getKey().toString();
      Branch value = child.getValue();
      entries.add(
          new Entry(
              new Scalar(key, true, value.line),
              node(value, name.isEmpty() ? key : name + "." + key)));
    }
    return new Mapping(entries, branch.line);
  }

  private static Node list(Branch branch, String name) throws SyntaxException {
    List<Node> items = new ArrayList<>();
    for (int i = 0; i < branch.children.size(); i++) {
      Branch item = branch.children.get(i);
      if (item == null) {
        throw new SyntaxException(
            branch.line, "'" + name + "' is a list without an item [" + i + "]");
      }
      items.add(node(item, name + "[" + i + "]"));
    }
    return new Sequence(items, branch.line);
  }
}
