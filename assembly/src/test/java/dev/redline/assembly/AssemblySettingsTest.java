package dev.redline.assembly;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.redline.core.EngineSettings.MissingRules;
import dev.redline.core.memory.LocalStore;
import dev.redline.core.settings.InvalidSettingsException;
import dev.redline.core.spi.ConfigProvider;
import dev.redline.core.spi.PropertyReader;
import dev.redline.core.spi.RuleSourceFactory;
import dev.redline.core.spi.StoreFactory;
import dev.redline.core.store.StorageProvider;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class AssemblySettingsTest {
  private static final Plugins FOUND = Plugins.load(AssemblySettingsTest.class.getClassLoader());

  /** A store with a property that is required, and one with a default. */
  private record AcmeStoreFactory(List<String> created) implements StoreFactory {
    @Override
    public String name() {
      return "ACME_STORE";
    }

    @Override
    public Creator<StorageProvider> read(PropertyReader properties, boolean chosen) {
      int size = properties.property("rl.acme.size", "how large").integer(3, 1, 9);
      String uri = properties.property("rl.acme.uri", "where it is").text("");
      if (chosen && uri.isEmpty()) {
        properties.problem("rl.acme.uri", "", "set the address");
      }
      return context -> {
        created.add(uri + "#" + size);
        return new LocalStore(context.maxKeys(), context.clock());
      };
    }
  }

  private record NamedSourceFactory(String name) implements RuleSourceFactory {
    @Override
    public Creator<ConfigProvider> read(PropertyReader properties, boolean chosen) {
      return context -> InlineRules.NONE;
    }
  }

  private final List<String> created = new ArrayList<>();
  private final Plugins plugins =
      new Plugins(
          Stream.concat(FOUND.stores().stream(), Stream.of(new AcmeStoreFactory(created))).toList(),
          FOUND.sources(),
          List.of());

  private AssemblySettings parse(Map<String, String> properties) {
    return AssemblySettings.parse(properties, plugins, HostProfile.application());
  }

  private void assertRejected(Map<String, String> properties, String... problems) {
    assertThatThrownBy(() -> parse(properties))
        .isInstanceOfSatisfying(
            InvalidSettingsException.class,
            thrown -> assertThat(thrown.problems()).containsExactly(problems));
  }

  @Test
  void createsOnlyTheChosenStore() {
    parse(Map.of()).storage();
    assertThat(created).isEmpty();

    AssemblySettings settings =
        parse(Map.of("rl.storage.type", "acme-store", "rl.acme.uri", "here", "rl.acme.size", "5"));
    assertThat(settings.storage().type()).isEqualTo("ACME_STORE");
    assertThat(created).isEmpty();
    try (RedlineAssembly redline = RedlineAssembly.builder(settings).start()) {
      assertThat(redline.store()).isInstanceOf(LocalStore.class);
    }
    assertThat(created).containsExactly("here#5");
  }

  @Test
  void knowsAndChecksPropertiesOfStoresThatAreNotChosen() {
    assertThat(parse(Map.of("rl.acme.size", "5")).storage().type()).isEqualTo("LOCAL");
    assertRejected(
        Map.of("rl.acme.size", "10"),
        "rl.acme.size: '10' is not allowed; use a whole number from 1 to 9");
    assertRejected(
        Map.of("rl.acme.sizes", "5"),
        "rl.acme.sizes: there is no such property; did you mean rl.acme.size?");
  }

  @Test
  void requiresPropertiesOfTheChosenStore() {
    assertRejected(
        Map.of("rl.storage.type", "ACME_STORE"), "rl.acme.uri: '' is not allowed; set the address");
  }

  @Test
  void unknownNameListsWhatIsAvailable() {
    assertRejected(
        Map.of("rl.storage.type", "PAPER", "rl.config.source", "INLINE,STONE"),
        "rl.config.source: 'STONE' is not allowed; use one of ANNOTATION, CONFIG_MAP, FILE,"
            + " INLINE, REMOTE_API",
        "rl.storage.type: 'PAPER' is not allowed; use one of ACME_STORE, LOCAL");
  }

  @Test
  void inlineRulesAreASourceWhileAServerDecides() {
    Map<String, String> remote =
        Map.of("rl.handler", "REMOTE", "rl.remote.uri", "http://127.0.0.1:1");
    assertThat(parse(remote).config().names()).containsExactly("ANNOTATION", "REMOTE_API");
    Map<String, String> inline = new HashMap<>(remote);
    inline.put("rl.rules[0].id", "a");
    inline.put("rl.rules[0].limit", "1/s");
    assertThat(parse(inline).config().names())
        .containsExactly("ANNOTATION", "INLINE", "REMOTE_API");
    inline.put("rl.config.source", "REMOTE_API");
    assertRejected(
        inline,
        "rl.config.source: 'REMOTE_API' is not allowed; add INLINE, or remove rl.rules[0].id");
  }

  @Test
  void aWrongAddressOfTheServerIsOneProblem() {
    assertRejected(
        Map.of("rl.handler", "REMOTE"),
        "rl.remote.uri: '' is not allowed; rl.handler REMOTE needs the address of a Redline server");
    assertRejected(
        Map.of("rl.handler", "REMOTE", "rl.remote.uri", "http://redline_server:8080"),
        "rl.remote.uri: the value is not allowed; use a host name without an underscore, which no URI may have in it; a token"
            + " goes to rl.remote.token");
    assertRejected(
        Map.of("rl.config.source", "REMOTE_API", "rl.config.remote.uri", "http://redline:99999"),
        "rl.config.remote.uri: the value is not allowed; use a port from 1 to 65535, or none; a token goes to"
            + " rl.config.remote.token");
    assertRejected(
        Map.of(
            "rl.handler", "REMOTE",
            "rl.remote.uri", "http://redline",
            "rl.remote.timeout", "2h"),
        "rl.remote.timeout: 'PT2H' is not allowed; use at most 1h");
  }

  @Test
  void nameOfAMissingModuleNamesItsArtifact() {
    assertRejected(
        Map.of("rl.storage.type", "hazelcast", "rl.config.source", "consul"),
        "rl.config.source: 'consul' is not allowed; add dev.redline:redline-rules-consul to"
            + " the class path, or use one of ANNOTATION, CONFIG_MAP, FILE, INLINE, REMOTE_API",
        "rl.storage.type: 'hazelcast' is not allowed; add dev.redline:redline-stores-hazelcast to"
            + " the class path, or use one of ACME_STORE, LOCAL");
  }

  @Test
  void storeOfTheHostNeedsNoType() {
    AssemblySettings settings =
        AssemblySettings.parse(
            Map.of("rl.storage.type", "JDBC"), plugins, HostProfile.application().withOwnStore());
    try (LocalStore own = new LocalStore();
        RedlineAssembly redline = RedlineAssembly.builder(settings).store(own).start()) {
      assertThat(redline.store()).isSameAs(own);
    }
  }

  @Test
  void applicationReadsFilesIfThereIsAPath() {
    assertThat(parse(Map.of()).config().names()).containsExactly("ANNOTATION", "INLINE");
    assertThat(parse(Map.of("rl.config.path", "rules.yaml")).config().names())
        .containsExactly("ANNOTATION", "INLINE", "FILE");
    assertRejected(
        Map.of("rl.config.source", "FILE"),
        "rl.config.path: '' is not allowed; source FILE needs the file or directory of its"
            + " documents");
  }

  @Test
  void inlineRulesNeedTheirSource() {
    assertRejected(
        Map.of("rl.config.source", "ANNOTATION", "rl.rules[0].id", "r"),
        "rl.config.source: 'ANNOTATION' is not allowed; add INLINE, or remove rl.rules[0].id");
  }

  /** A plugin that was compiled for another version. */
  private record OutdatedSourceFactory() implements RuleSourceFactory {
    @Override
    public String name() {
      return "OUTDATED";
    }

    @Override
    public Creator<ConfigProvider> read(PropertyReader properties, boolean chosen) {
      throw new NoSuchMethodError("gone");
    }
  }

  @Test
  void namesAPluginThatFails() {
    Plugins outdated = new Plugins(FOUND.stores(), List.of(new OutdatedSourceFactory()), List.of());
    assertThatThrownBy(() -> AssemblySettings.parse(Map.of(), outdated, HostProfile.application()))
        .isInstanceOf(InvalidSettingsException.class)
        .hasMessageContaining("the plugin OUTDATED (")
        .hasMessageContaining("gone");
  }

  @Test
  void failPolicyOfTheChosenSourceReplacesTheGeneralOne() {
    Plugins withPolicy = new Plugins(FOUND.stores(), List.of(new PolicySourceFactory()), List.of());
    assertThat(missingRules(withPolicy, Map.of("rl.own.fail-policy", "fail-closed")))
        .isEqualTo(MissingRules.REJECT);
    assertThat(
            missingRules(
                withPolicy,
                Map.of("rl.own.fail-policy", "Allow", "rl.missing-rule-behavior", "REJECT")))
        .isEqualTo(MissingRules.ALLOW);
    assertThat(missingRules(withPolicy, Map.of("rl.missing-rule-behavior", "REJECT")))
        .isEqualTo(MissingRules.REJECT);
    assertThat(
            AssemblySettings.parse(
                    Map.of("rl.own.fail-policy", "REJECT"), withPolicy, HostProfile.application())
                .core()
                .missingRules())
        .as("the source is not chosen")
        .isEqualTo(MissingRules.ALLOW);
    assertThatThrownBy(() -> missingRules(withPolicy, Map.of("rl.own.fail-policy", "maybe")))
        .hasMessage(
            "rl.own.fail-policy: 'maybe' is not allowed; use one of ALLOW, REJECT, fail-open,"
                + " fail-closed");
  }

  private static MissingRules missingRules(Plugins plugins, Map<String, String> properties) {
    Map<String, String> all = new HashMap<>(properties);
    all.put("rl.config.source", "OWN");
    return AssemblySettings.parse(all, plugins, HostProfile.application()).core().missingRules();
  }

  /** A source with a policy of its own. */
  private record PolicySourceFactory() implements RuleSourceFactory {
    @Override
    public String name() {
      return "OWN";
    }

    @Override
    public Optional<String> failPolicy() {
      return Optional.of("rl.own.fail-policy");
    }

    @Override
    public Creator<ConfigProvider> read(PropertyReader properties, boolean chosen) {
      return context -> InlineRules.NONE;
    }
  }

  @Test
  void rejectsTwoPluginsOfOneName() {
    assertThatThrownBy(
            () ->
                new Plugins(
                    List.of(),
                    List.of(new NamedSourceFactory("ACME"), new NamedSourceFactory("acme")),
                    List.of()))
        .hasMessageContaining("two rule sources are named acme")
        .hasMessageContaining(NamedSourceFactory.class.getName());
  }
}
