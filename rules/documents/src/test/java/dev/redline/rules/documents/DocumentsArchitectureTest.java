package dev.redline.rules.documents;

import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import org.jspecify.annotations.NullMarked;

/** The packages of this module depend on each other in one direction. */
@AnalyzeClasses(packages = "dev.redline.rules.documents", importOptions = DoNotIncludeTests.class)
class DocumentsArchitectureTest {
  private static final SliceAssignment PACKAGES =
      new SliceAssignment() {
        @Override
        public SliceIdentifier getIdentifierOf(JavaClass type) {
          return SliceIdentifier.of(type.getPackageName());
        }

        @Override
        public String getDescription() {
          return "packages";
        }
      };

  @ArchTest
  static final ArchRule PACKAGES_HAVE_NO_CYCLES =
      slices().assignedFrom(PACKAGES).should().beFreeOfCycles();

  @ArchTest
  static void publicTypesOutsideInternalPackagesAreFew(JavaClasses classes) {
    assertThat(classes)
        .filteredOn(type -> !type.getPackageName().contains(".internal"))
        .filteredOn(type -> type.isTopLevelClass())
        .filteredOn(type -> type.getModifiers().contains(JavaModifier.PUBLIC))
        .extracting(JavaClass::getSimpleName)
        .containsExactlyInAnyOrder(
            "RuleDocument",
            "RuleDocumentWriter",
            "RuleProblem",
            "ReadResult",
            "RuleDocumentReader",
            "InlineLimits",
            "FileConfigProvider",
            "FileRuleRepository",
            "EffectiveRules",
            "InvalidRulesException",
            "RuleLoader",
            "RuleReloading",
            "RuleSource",
            "RulesStatus");
  }

  @ArchTest
  static void everyPackageIsNullMarked(JavaClasses classes) {
    assertThat(classes.stream().map(type -> type.getPackage()).distinct())
        .isNotEmpty()
        .allMatch(unit -> unit.isAnnotatedWith(NullMarked.class), "is null-marked");
  }
}
