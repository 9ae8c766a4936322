package dev.weir.proxy;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Who may know whom. A package that is not named beside another must not import it. */
class PackageDirectionTest {
  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .withImportOption(location -> !location.contains("-tests.jar"))
          .importPackages("dev.weir.proxy");

  private static final List<String> PACKAGES =
      List.of(
          "request",
          "loop",
          "watch",
          "exchange",
          "http1",
          "http2",
          "http2.hpack",
          "http2.message",
          "grpc",
          "tls",
          "downstream",
          "downstream.listen",
          "downstream.h1",
          "downstream.h2",
          "downstream.answer",
          "rule",
          "rule.spec",
          "rule.identity",
          "token",
          "upstream",
          "upstream.h2",
          "metrics",
          "store",
          "store.map",
          "store.fleet",
          "records",
          "records.file",
          "records.redis",
          "admission",
          "admission.lease",
          "admission.hold",
          "admission.ban",
          "control",
          "decision",
          "decision.grpc",
          "decision.http",
          "decision.v1",
          "decision.proto",
          "web",
          "api",
          "envoy.file",
          "envoy.call",
          "envoy.importer",
          "log",
          "traffic",
          "warmup",
          "explain",
          "cli",
          "cli.api",
          "demo",
          "wiring");

  @ParameterizedTest
  @CsvSource({
    "request,",
    "loop, log request",
    "watch,",
    "exchange, request grpc loop",
    "http1, request exchange loop",
    "http2, request loop http2.hpack",
    "http2.hpack, request",
    "http2.message, request exchange http2 http2.hpack grpc",
    "grpc, request",
    "tls, request watch",
    "downstream, request exchange downstream.answer tls loop",
    "downstream.listen, request exchange downstream downstream.answer downstream.h1 downstream.h2 http2 tls loop log",
    "downstream.h1, request exchange downstream downstream.answer http1 grpc loop",
    "downstream.h2, request exchange downstream downstream.answer http2 http2.hpack http2.message grpc loop",
    "downstream.answer, request exchange http1 http2.hpack grpc",
    "rule, request rule.spec records",
    "rule.spec, request",
    "rule.identity, request rule rule.spec",
    "token, request watch rule.identity",
    "upstream, request exchange http1 tls loop log",
    "upstream.h2, request exchange http2 http2.hpack http2.message grpc tls loop log upstream",
    "metrics, request loop log",
    "store, request loop log store.map store.fleet",
    "store.map, request loop log",
    "store.fleet, log store.map",
    "records, log rule.spec",
    "records.file, log records",
    "records.redis, log loop rule.spec store.map store.fleet records",
    "admission, records request loop rule rule.spec rule.identity metrics store store.map admission.lease"
        + " admission.hold admission.ban",
    "admission.ban, request rule rule.spec rule.identity store.fleet",
    "admission.hold, request loop rule metrics store store.map",
    "admission.lease, request loop rule metrics store store.map",
    "control, records request loop watch tls rule downstream downstream.answer upstream decision admission store rule.spec rule.identity store.map token",
    "decision, request loop watch http2 downstream downstream.h1 downstream.listen decision.grpc decision.http",
    "decision.grpc, request loop exchange http2 http2.hpack grpc downstream.h2 decision.http decision.proto",
    "decision.http, request loop exchange grpc downstream.answer",
    "decision.v1, request loop exchange grpc downstream.answer rule.spec decision.grpc decision.http decision.proto",
    "decision.proto,",
    "web, metrics request loop tls",
    "api, web metrics request records control watch loop rule rule.spec rule.identity",
    "envoy.file, request watch rule rule.spec control",
    "envoy.call, request loop rule rule.spec rule.identity metrics admission control grpc decision.grpc decision.http decision.proto envoy.file",
    "envoy.importer, rule rule.spec control watch envoy.file",
    "explain, request rule rule.spec admission downstream http1",
    "log,",
    "traffic, http2 http2.hpack decision.proto",
    "warmup, traffic",
    "wiring, records records.redis records.file web api explain admission control decision decision.grpc decision.http decision.v1 decision.proto downstream downstream.h1 downstream.h2 downstream.listen envoy.call envoy.file grpc exchange http1 http2 log loop metrics request rule store tls upstream upstream.h2 traffic warmup watch rule.spec rule.identity store.map store.fleet admission.lease admission.ban token",
    "cli.api, loop tls request explain records records.file rule.spec control web wiring",
    "demo, wiring control metrics request traffic",
  })
  void knowsOnly(String name, String allowed) {
    List<String> known = allowed == null ? List.of() : Arrays.asList(allowed.split(" "));
    String[] forbidden =
        PACKAGES.stream()
            .filter(other -> !other.equals(name) && !known.contains(other))
            .map(other -> "dev.weir.proxy." + other)
            .toArray(String[]::new);
    noClasses()
        .that()
        .resideInAPackage("dev.weir.proxy." + name)
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(forbidden)
        .check(CLASSES);
  }

  @Test
  void everyPackageIsNamedHere() {
    CLASSES.stream()
        .map(type -> type.getPackageName().substring("dev.weir.proxy".length()))
        .filter(name -> !name.isEmpty())
        .forEach(name -> assertTrue(PACKAGES.contains(name.substring(1)), name));
  }
}
