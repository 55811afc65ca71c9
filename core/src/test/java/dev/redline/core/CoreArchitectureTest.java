package dev.redline.core;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
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
          .resideInAnyPackage("dev.redline.core.limit..", "dev.redline.core.internal.limit..")
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
          .resideInAPackage("dev.redline.core.internal.path..")
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage("dev.redline.core.internal.path..", "java..", "org.jspecify..");

  @ArchTest
  static final ArchRule NO_DECISION_NEEDS_HTTP =
      noClasses()
          .that()
          .resideOutsideOfPackages(
              "dev.redline.core.internal.http..",
              "dev.redline.core.internal.settings..",
              "dev.redline.core.settings..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "dev.redline.core.internal.http..",
              "dev.redline.core.internal.settings..",
              "dev.redline.core.settings..");

  /** A package and its internal half are one slice: {@code limit} and {@code internal.limit}. */
  private static final SliceAssignment FEATURES =
      new SliceAssignment() {
        @Override
        public SliceIdentifier getIdentifierOf(JavaClass type) {
          return SliceIdentifier.of(type.getPackageName().replace(".internal", ""));
        }

        @Override
        public String getDescription() {
          return "packages with their internal halves";
        }
      };

  @ArchTest
  static final ArchRule PACKAGES_HAVE_NO_CYCLES =
      slices().assignedFrom(FEATURES).should().beFreeOfCycles();

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
