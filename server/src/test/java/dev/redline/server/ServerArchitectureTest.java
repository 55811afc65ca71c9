package dev.redline.server;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

class ServerArchitectureTest {
  private static final JavaClasses REDLINE =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .importPackages("dev.redline");

  @Test
  void adaptersDoNotDependOnEachOther() {
    String[] adapters = {"dev.redline.rules..", "dev.redline.stores..", "dev.redline.telemetry.."};
    for (String adapter : adapters) {
      for (String other : adapters) {
        if (!adapter.equals(other)) {
          noClasses()
              .that()
              .resideInAPackage(adapter)
              .should()
              .dependOnClassesThat()
              .resideInAPackage(other)
              .allowEmptyShould(true)
              .check(REDLINE);
        }
      }
    }
    slices()
        .matching("dev.redline.(stores|rules).(*)..")
        .should()
        .notDependOnEachOther()
        // MongoDB holds no text, so what the admin API writes is parsed there.
        .ignoreDependency(
            resideInAPackage("dev.redline.rules.mongo.."),
            resideInAPackage("dev.redline.rules.documents.."))
        .allowEmptyShould(true)
        .check(REDLINE);
  }

  @Test
  void nothingDependsOnTheServer() {
    noClasses()
        .that()
        .resideOutsideOfPackage("dev.redline.server..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("dev.redline.server..")
        .check(REDLINE);
  }

  @Test
  void dataPlaneDependsNeitherOnSpringNorOnServlets() {
    noClasses()
        .that()
        .resideInAPackage("dev.redline.server.data..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("org.springframework..", "jakarta.servlet..", "org.apache.tomcat..")
        .check(REDLINE);
  }

  @Test
  void onlyDataPlaneAndRedisConnectionsUseNetty() {
    noClasses()
        .that()
        .resideOutsideOfPackages(
            "dev.redline.server.data..", "dev.redline.redis..", "dev.redline.stores.redis..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("io.vertx..", "io.netty..")
        .check(REDLINE);
  }

  @Test
  void serverPackagesAreFreeOfCycles() {
    slices().matching("dev.redline.server.(*)..").should().beFreeOfCycles().check(REDLINE);
  }

  @Test
  void dataPlaneDoesNotDependOnRuleDocuments() {
    classes()
        .that()
        .resideInAPackage("dev.redline.rules..")
        .should()
        .onlyHaveDependentClassesThat()
        .resideInAnyPackage(
            "dev.redline.rules..",
            "dev.redline.assembly..",
            "dev.redline.server.rules..",
            "dev.redline.server.admin..",
            "dev.redline.server.management..",
            "dev.redline.server.cli..",
            "dev.redline.server.wiring..")
        .check(REDLINE);
  }
}
