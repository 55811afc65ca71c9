package dev.redline.assembly;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * What differs between the service and an application that embeds the engine.
 *
 * @param defaultSources the default of {@code rl.config.source}
 * @param addsFileSource whether {@code FILE} is added to the default if {@code rl.config.path} is
 *     set
 * @param ownSources the names of sources that the host supplies itself
 * @param ownStore whether the host supplies the store; then {@code rl.storage.type} is not checked
 * @param exampleRules whether source {@code FILE} works without {@code rl.config.path}
 * @param choosesHandler whether {@code rl.handler} can have a Redline server decide
 */
public record HostProfile(
    List<String> defaultSources,
    boolean addsFileSource,
    Set<String> ownSources,
    boolean ownStore,
    boolean exampleRules,
    boolean choosesHandler) {
  /** The source of rules in annotations. */
  public static final String ANNOTATION = "ANNOTATION";

  /** The source of rules in the host's configuration, under {@code rl.}. */
  public static final String INLINE = "INLINE";

  /** The source of the rules of a Redline server. */
  static final String REMOTE_API = "REMOTE_API";

  /** Copies the collections. */
  public HostProfile {
    defaultSources = List.copyOf(defaultSources);
    ownSources = Set.copyOf(ownSources);
  }

  /** Returns the profile of the service: rules in files, else examples. */
  public static HostProfile service() {
    return new HostProfile(List.of("FILE"), false, Set.of(), false, true, false);
  }

  /** Returns the profile of an application: rules in annotations and configuration. */
  public static HostProfile application() {
    return new HostProfile(
        List.of(ANNOTATION, INLINE), true, Set.of(ANNOTATION), false, false, true);
  }

  /** Returns this profile with the host's own store. */
  public HostProfile withOwnStore() {
    return new HostProfile(
        defaultSources, addsFileSource, ownSources, true, exampleRules, choosesHandler);
  }

  /**
   * Returns this profile for a server that decides: it has the store, and the rules, which replace
   * inline rules of the same ids.
   */
  HostProfile withServer(boolean inlineRules) {
    return new HostProfile(
        inlineRules ? List.of(ANNOTATION, INLINE, REMOTE_API) : List.of(ANNOTATION, REMOTE_API),
        false,
        ownSources,
        true,
        exampleRules,
        choosesHandler);
  }

  /** Returns this profile with another source that the host supplies. */
  public HostProfile withOwnSource(String name) {
    Set<String> names = new LinkedHashSet<>(ownSources);
    names.add(name);
    return new HostProfile(
        defaultSources, addsFileSource, names, ownStore, exampleRules, choosesHandler);
  }
}
