package dev.redline.project;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Element;
import org.w3c.dom.Node;

/** The POM in a folder, as it is written: without what its parent adds. */
record Pom(Path folder, Element project) {

  static Pom read(Path folder) {
    try {
      return new Pom(
          folder,
          DocumentBuilderFactory.newInstance()
              .newDocumentBuilder()
              .parse(folder.resolve("pom.xml").toFile())
              .getDocumentElement());
    } catch (Exception e) {
      throw new AssertionError("no readable pom.xml in " + folder, e);
    }
  }

  boolean hasParent() {
    return !texts("parent").isEmpty();
  }

  /** The text of the first element on this path, or an empty string. */
  String text(String... path) {
    return texts(path).stream().findFirst().orElse("");
  }

  /** The texts of all elements on this path. */
  List<String> texts(String... path) {
    List<Element> elements = List.of(project);
    for (String name : path) {
      List<Element> children = new ArrayList<>();
      for (Element element : elements) {
        for (Node node = element.getFirstChild(); node != null; node = node.getNextSibling()) {
          if (node instanceof Element child && child.getTagName().equals(name)) {
            children.add(child);
          }
        }
      }
      elements = children;
    }
    return elements.stream().map(element -> element.getTextContent().strip()).toList();
  }

  @Override
  public String toString() {
    return text("artifactId");
  }
}
