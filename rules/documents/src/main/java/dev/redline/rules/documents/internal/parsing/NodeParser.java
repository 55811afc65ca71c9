package dev.redline.rules.documents.internal.parsing;

import dev.redline.rules.documents.internal.parsing.Node.Broken;
import dev.redline.rules.documents.internal.parsing.Node.Entry;
import dev.redline.rules.documents.internal.parsing.Node.Mapping;
import dev.redline.rules.documents.internal.parsing.Node.Scalar;
import dev.redline.rules.documents.internal.parsing.Node.Sequence;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Parse;
import org.snakeyaml.engine.v2.events.AliasEvent;
import org.snakeyaml.engine.v2.events.CollectionEndEvent;
import org.snakeyaml.engine.v2.events.CollectionStartEvent;
import org.snakeyaml.engine.v2.events.DocumentStartEvent;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.events.MappingStartEvent;
import org.snakeyaml.engine.v2.events.NodeEvent;
import org.snakeyaml.engine.v2.events.ScalarEvent;
import org.snakeyaml.engine.v2.events.StreamStartEvent;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.Tag;

/**
 * Turns YAML text, and so JSON text, into a tree of {@link Node}s.
 *
 * <p>Size, depth, the number of nodes and the expansion of aliases are bounded for any input.
 */
public final class NodeParser {
  public static final int MAX_BYTES = 32 << 20;
  private static final int MAX_ALIASED_NODES = 100_000;

  /** The parser copies what it holds of a long scalar for each buffer, so buffers are large. */
  private static final int MAX_BUFFER = 1 << 20;

  private final Iterator<Event> events;
  private final NodeLimits limits = new NodeLimits();
  private final Map<String, Anchored> anchors = new HashMap<>();
  private long nodes;
  private long aliasedNodes;

  /** A node that aliases may refer to, and the number of nodes in it. */
  private record Anchored(Node node, long nodes) {}

  private NodeParser(String text) {
    LoadSettings settings =
        LoadSettings.builder()
            .setCodePointLimit(MAX_BYTES)
            .setBufferSize(Math.min(text.length() + 1, MAX_BUFFER))
            .setUseMarks(true)
            .build();
    this.events = new Parse(settings).parseString(text).iterator();
  }

  /** Returns the document's root, or null if it holds nothing. */
  public static @Nullable Node parse(String text) throws SyntaxException {
    String content = text.startsWith("\uFEFF") ? text.substring(1) : text;
    return JsonParser.mayBe(content) ? jsonOrYaml(content) : yaml(content);
  }

  /** Reads what is JSON, or YAML that begins like it; the error is that of the better guess. */
  private static @Nullable Node jsonOrYaml(String content) throws SyntaxException {
    try {
      return JsonParser.parse(content);
    } catch (SyntaxException noJson) {
      try {
        return yaml(content);
      } catch (SyntaxException noYaml) {
        boolean further = noYaml.line() > noJson.line();
        boolean tab = String.valueOf(noYaml.getMessage()).contains("(TAB)");
        throw further || (noYaml.line() == noJson.line() && !tab) ? noYaml : noJson;
      }
    }
  }

  private static @Nullable Node yaml(String content) throws SyntaxException {
    try {
      return new NodeParser(content).document();
    } catch (YamlEngineException e) {
      throw SyntaxException.of(e, content);
    }
  }

  private @Nullable Node document() throws SyntaxException {
    Node root = null;
    boolean seen = false;
    while (events.hasNext()) {
      Event event = events.next();
      if (event instanceof DocumentStartEvent) {
        if (seen) {
          throw new SyntaxException(
              line(event), "a second document starts here; keep one document per file");
        }
        seen = true;
      } else if (event instanceof NodeEvent && !(event instanceof StreamStartEvent)) {
        root = node(event, 0);
      }
    }
    return root;
  }

  private Node node(Event event, int depth) throws SyntaxException {
    limits.add(line(event), depth);
    if (event instanceof AliasEvent alias) {
      return aliased(alias);
    }
    long before = nodes++;
    Node node;
    if (event instanceof ScalarEvent scalar) {
      node = scalar(scalar);
    } else if (event instanceof MappingStartEvent mapping) {
      node = checkTag(mapping, mapping(mapping, depth), Tag.MAP);
    } else {
      CollectionStartEvent sequence = (CollectionStartEvent) event;
      node = checkTag(sequence, sequence(sequence, depth), Tag.SEQ);
    }
    // Registered only when complete, so that a node that contains itself names nothing.
    long size = nodes - before;
    ((NodeEvent) event)
        .getAnchor()
        .ifPresent(anchor -> anchors.put(anchor.getValue(), new Anchored(node, size)));
    return node;
  }

  private Node aliased(AliasEvent alias) throws SyntaxException {
    String name = alias.getAlias().getValue();
    Anchored target = anchors.get(name);
    if (target == null) {
      return new Broken(
          "*" + name,
          "'*" + name + "' unquoted is a YAML alias that nothing defines; quote it",
          line(alias));
    }
    nodes += target.nodes();
    aliasedNodes += target.nodes();
    if (aliasedNodes > MAX_ALIASED_NODES) {
      throw new SyntaxException(
          line(alias), "aliases stand for more than " + MAX_ALIASED_NODES + " values");
    }
    return target.node() instanceof Scalar scalar
        ? new Scalar(scalar.text(), scalar.plain(), line(alias))
        : target.node();
  }

  private Node mapping(MappingStartEvent start, int depth) throws SyntaxException {
    List<Entry> entries = new ArrayList<>();
    Event event = events.next();
    while (!(event instanceof CollectionEndEvent)) {
      Node key = node(event, depth + 1);
      Node value = node(events.next(), depth + 1);
      if (!(key instanceof Scalar name)) {
        throw new SyntaxException(
            key.line(),
            key instanceof Broken broken ? broken.message() : "a name must be a text, was a list");
      }
      entries.add(new Entry(name, value));
      event = events.next();
    }
    return new Mapping(entries, line(start));
  }

  private Node sequence(CollectionStartEvent start, int depth) throws SyntaxException {
    List<Node> items = new ArrayList<>();
    Event event = events.next();
    while (!(event instanceof CollectionEndEvent)) {
      items.add(node(event, depth + 1));
      event = events.next();
    }
    return new Sequence(items, line(start));
  }

  private static Node scalar(ScalarEvent event) {
    String text = event.getValue();
    int line = line(event);
    Optional<String> tag = event.getTag();
    if (tag.isEmpty()) {
      return new Scalar(text, event.isPlain(), line);
    }
    if (tag.get().equals(Tag.STR.getValue()) || tag.get().equals("!")) {
      return new Scalar(text, false, line);
    }
    boolean saysItsType =
        switch (ScalarType.ofPlain(text)) {
          case NULL -> tag.get().equals(Tag.NULL.getValue());
          case BOOLEAN -> tag.get().equals(Tag.BOOL.getValue());
          case INTEGER ->
              tag.get().equals(Tag.INT.getValue()) || tag.get().equals(Tag.FLOAT.getValue());
          case DECIMAL -> tag.get().equals(Tag.FLOAT.getValue());
          case TEXT -> false;
        };
    return saysItsType ? new Scalar(text, true, line) : unknownTag(text, tag.get(), line);
  }

  private static Node checkTag(CollectionStartEvent event, Node node, Tag own) {
    return event
        .getTag()
        .filter(tag -> !tag.equals(own.getValue()) && !tag.equals("!"))
        .map(tag -> unknownTag(node.describe(), tag, node.line()))
        .orElse(node);
  }

  private static Node unknownTag(String text, String tag, int line) {
    return new Broken(text, "the YAML tag '" + tag + "' has no meaning here; leave it out", line);
  }

  private static int line(Event event) {
    return event.getStartMark().map(mark -> mark.getLine() + 1).orElse(1);
  }
}
