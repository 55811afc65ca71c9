package dev.redline.core;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
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

  private static final String COMPILED =
      "the one way by which the project's modules reach the compiled side of a public value";

  /** Public members with an internal type in their signature, and why they have it. */
  private static final Map<String, String> INTERNAL_TYPES_IN_SIGNATURES =
      Map.ofEntries(
          entry("RuleBook.compiled", COMPILED),
          entry("BucketLimits.arithmetic", COMPILED),
          entry("BucketLimits.band", COMPILED),
          entry("BucketLimits.packedOrNull", COMPILED),
          entry("Settings$Identity.<init>", "the trusted proxies are for the project's adapters"),
          entry("Settings$Identity.trustedProxies", "as the constructor"),
          entry("LocalStore", "shares its code with the Caffeine store by inheritance"));

  @ArchTest
  static void publicSignaturesHaveNoInternalTypes(JavaClasses classes) {
    Set<String> found = new TreeSet<>();
    for (JavaClass type : classes) {
      if (!isPublicApi(type)) {
        continue;
      }
      Stream.concat(type.getRawSuperclass().stream(), type.getRawInterfaces().stream())
          .filter(CoreArchitectureTest::isInternal)
          .forEach(parent -> found.add(nameOf(type)));
      for (JavaMember member : type.getMembers()) {
        if (isApi(member) && signature(member).anyMatch(CoreArchitectureTest::isInternal)) {
          found.add(nameOf(type) + "." + member.getName());
        }
      }
    }
    assertThat(found)
        .as("public members that show internal types")
        .containsExactlyInAnyOrderElementsOf(INTERNAL_TYPES_IN_SIGNATURES.keySet());
  }

  private static String nameOf(JavaClass type) {
    return type.getName().substring(type.getPackageName().length() + 1);
  }

  private static boolean isInternal(JavaClass type) {
    return type.getPackageName().startsWith("dev.redline.core.internal");
  }

  /** Returns whether users see the type: it is public, and so is every type around it. */
  private static boolean isPublicApi(JavaClass type) {
    return !isInternal(type)
        && type.getModifiers().contains(JavaModifier.PUBLIC)
        && type.getEnclosingClass().map(CoreArchitectureTest::isPublicApi).orElse(true);
  }

  private static boolean isApi(JavaMember member) {
    Set<JavaModifier> modifiers = member.getModifiers();
    return (modifiers.contains(JavaModifier.PUBLIC) || modifiers.contains(JavaModifier.PROTECTED))
        && !modifiers.contains(JavaModifier.SYNTHETIC);
  }

  /** Returns all types in the signature of a member, type arguments included. */
  private static Stream<JavaClass> signature(JavaMember member) {
    if (member instanceof JavaField field) {
      return field.getType().getAllInvolvedRawTypes().stream();
    }
    JavaCodeUnit code = (JavaCodeUnit) member;
    return Stream.of(
            Stream.of(code.getReturnType()),
            code.getParameterTypes().stream(),
            code.getTypeParameters().stream(),
            code.getExceptionTypes().stream())
        .flatMap(types -> types)
        .flatMap(type -> type.getAllInvolvedRawTypes().stream());
  }
}
