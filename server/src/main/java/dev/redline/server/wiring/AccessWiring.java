package dev.redline.server.wiring;

import dev.redline.core.RateLimitEngine;
import dev.redline.core.internal.token.UserTokens;
import dev.redline.core.spi.ConfigProvider;
import dev.redline.core.spi.ConfigProvider.Document;
import dev.redline.core.spi.RuleRepository;
import dev.redline.core.store.MicrosClock;
import dev.redline.identity.jwt.JwtVerifier;
import dev.redline.rules.documents.ReadResult;
import dev.redline.rules.documents.RuleDocument;
import dev.redline.rules.documents.loading.EffectiveRules;
import dev.redline.rules.documents.loading.RuleLoader;
import dev.redline.rules.documents.loading.RulesStatus;
import dev.redline.server.access.CallerAuthenticator;
import dev.redline.server.access.CallerLimit;
import dev.redline.server.access.TokenAuthenticator;
import dev.redline.server.access.TokenFile;
import dev.redline.server.rules.RuleDocuments;
import dev.redline.server.rules.RuleLayers;
import dev.redline.server.rules.RulesPage;
import dev.redline.server.settings.AdminToken;
import dev.redline.server.settings.AdminToken.Role;
import dev.redline.server.settings.ServerSettings;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The Spring beans for admin tokens and for the rules as the admin API sees them. */
@Configuration(proxyBeanMethods = false)
class AccessWiring {
  private static final Logger LOG = System.getLogger(AccessWiring.class.getName());
  private static final String GENERATED = "admin";

  /**
   * The admin tokens.
   *
   * @param file the file of the generated token, if one was generated
   */
  record Tokens(Map<String, AdminToken> byName, Optional<Path> file) {}

  /**
   * Generates a token of role editor if none is configured. If it cannot be written to a file, the
   * service starts without an admin token: decisions do not need one.
   */
  @Bean
  Tokens adminTokens(ServerSettings settings) {
    if (!settings.adminTokens().isEmpty()) {
      return new Tokens(settings.adminTokens(), Optional.empty());
    }
    Path file = TokenFile.in(settings.dataDir());
    try {
      AdminToken token = new AdminToken(Role.EDITOR, TokenFile.obtain(file));
      return new Tokens(Map.of(GENERATED, token), Optional.of(file));
    } catch (IOException e) {
      LOG.log(
          Level.WARNING,
          "no admin token could be written to {0} ({1}); set rl.admin.tokens or rl.data-dir to use"
              + " the admin API",
          file,
          e.toString());
      return new Tokens(Map.of(), Optional.empty());
    }
  }

  @Bean
  TokenAuthenticator tokenAuthenticator(ServerSettings settings, Tokens tokens) {
    return new TokenAuthenticator(
        tokens.byName(), settings.core().identity().settings(), MicrosClock.monotonic());
  }

  @Bean
  CallerAuthenticator callerAuthenticator(ServerSettings settings) {
    return new CallerAuthenticator(settings.server().callerTokens());
  }

  @Bean
  CallerLimit callerLimit(ServerSettings settings) {
    return new CallerLimit(settings.server().callerLimit(), settings.core().identity().settings());
  }

  /** Verifies the tokens of users, if a key is configured. */
  record Jwt(Optional<JwtVerifier> verifier) implements AutoCloseable {
    @Override
    public void close() {
      verifier.ifPresent(JwtVerifier::close);
    }
  }

  @Bean
  Jwt jwt(ServerSettings settings) {
    return new Jwt(settings.jwt().map(JwtVerifier::start));
  }

  @Bean
  UserTokens userTokens(Jwt jwt) {
    return new UserTokens(jwt.verifier().orElse(null));
  }

  /** The writable source, which the rule loader owns and closes. */
  @Bean(destroyMethod = "")
  RuleRepository ruleRepository(RuleLoader loader) {
    return loader
        .repository()
        .orElseThrow(() -> new IllegalStateException("no rule source is writable"));
  }

  @Bean
  RuleDocuments ruleDocuments(RuleLoader loader, RuleRepository repository) {
    return new RuleDocuments() {
      @Override
      public RuleDocument base() {
        return inForce(source -> source != repository);
      }

      @Override
      public RuleDocument own() {
        return inForce(source -> source == repository);
      }

      private RuleDocument inForce(Predicate<ConfigProvider> sources) {
        return loader.effective().contributions().stream()
            .filter(contribution -> sources.test(contribution.source()))
            .map(EffectiveRules.Contribution::document)
            .reduce(RuleLayers::layered)
            .orElse(EffectiveRules.NONE.document());
      }

      @Override
      public Set<String> planIds() {
        return loader.planIds();
      }

      @Override
      public ReadResult tryOut(String document) {
        return loader.tryOut(repository, List.of(new Document(repository.name(), document)));
      }

      @Override
      public Map<String, EffectiveRules.Contribution> origins() {
        return loader.effective().origins();
      }

      @Override
      public RulesStatus status() {
        return loader.status();
      }

      @Override
      public RulesStatus reload() {
        return loader.reload();
      }

      @Override
      public void reloadRepository() {
        loader.reload(repository);
      }
    };
  }

  @Bean
  RulesPage.Maker rulesPage(RateLimitEngine engine, RuleDocuments documents) {
    return new RulesPage.Maker(engine, () -> documents.base().version());
  }
}
