package dev.redline.core;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import org.jspecify.annotations.NullMarked;

/** The core knows nobody, and its rooms have doors. */
@AnalyzeClasses(packages = "dev.redline.core", importOptions = DoNotIncludeTests.class)
class CoreArchitectureTest {
  @ArchTest
  static final ArchRule THE_CORE_KNOWS_NOTHING_BUT_JAVA =
      classes()
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage("dev.redline.core..", "java..", "javax.crypto..", "org.jspecify..");

  @ArchTest
  static final ArchRule THE_ARITHMETIC_KEEPS_NO_TIME_AND_NO_THREADS =
      noClasses()
          .that()
          .resideInAPackage("dev.redline.core.limit..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("java.util.concurrent..")
          .orShould()
          .callMethod(System.class, "nanoTime")
          .orShould()
          .callMethod(System.class, "currentTimeMillis");

  @ArchTest
  static final ArchRule PATHS_STAND_ALONE =
      classes()
          .that()
          .resideInAPackage("dev.redline.core.path..")
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage("dev.redline.core.path..", "java..", "org.jspecify..");

  @ArchTest
  static final ArchRule NO_DECISION_NEEDS_HTTP =
      noClasses()
          .that()
          .resideOutsideOfPackages("dev.redline.core.http..", "dev.redline.core.settings..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("dev.redline.core.http..", "dev.redline.core.settings..");

  @ArchTest
  static final ArchRule ROOMS_LEAD_ONE_WAY =
      slices().matching("dev.redline.(core.*)").should().beFreeOfCycles();

  @ArchTest
  static void everyPackageIsNullMarked(JavaClasses classes) {
    assertThat(classes.stream().map(type -> type.getPackage()).distinct())
        .isNotEmpty()
        .allMatch(room -> room.isAnnotatedWith(NullMarked.class), "is null-marked");
  }

  @ArchTest
  static void everyTopLevelTypeIsNamedForWhatItIs(JavaClasses classes) {
    assertThat(classes)
        .extracting(type -> type.getSimpleName())
        .noneMatch(name -> name.matches(".*(Util|Utils|Helper|Manager|Impl|Base)"));
  }
}
