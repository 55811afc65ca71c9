package dev.redline.testkit.internal;

import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.RateLimitKey;
import dev.redline.core.store.StorageProvider;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Processes that acquire from one key of capacity 100 at the same time. Each runs a main class that
 * opens its store and calls {@link #contend}.
 */
public final class ContendingProcesses {
  private static final RateLimitKey KEY =
      new RateLimitKey(
          StoreLoad.rule("r", RateLimitBand.of(100, 1, Duration.ofDays(365))), "somebody");

  private ContendingProcesses() {}

  /**
   * Prints {@code ready}, waits for a line, submits all acquisitions at once, and prints how many
   * were allowed, were denied and failed.
   */
  public static void contend(StorageProvider store, int acquisitions) throws IOException {
    System.out.println("ready");
    new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)).readLine();
    List<CompletableFuture<Outcome>> results = new ArrayList<>();
    for (int i = 0; i < acquisitions; i++) {
      results.add(store.acquire(Acquisition.of(KEY, 1)).toCompletableFuture());
    }
    int allowed = 0;
    int denied = 0;
    int failed = 0;
    for (CompletableFuture<Outcome> result : results) {
      try {
        if (result.join().allowed()) {
          allowed++;
        } else {
          denied++;
        }
      } catch (CompletionException e) {
        failed++;
      }
    }
    System.out.println(allowed + " " + denied + " " + failed);
  }

  /**
   * Runs three processes with 1,000 acquisitions in all; returns how many were allowed, were denied
   * and failed.
   *
   * @param main gets the number of acquisitions as first argument
   */
  public static int[] run(Class<?> main, String... arguments) throws Exception {
    int[] total = new int[3];
    List<Process> processes = new ArrayList<>();
    List<BufferedReader> outputs = new ArrayList<>();
    try {
      for (int requests : new int[] {334, 333, 333}) {
        List<String> command =
            new ArrayList<>(
                List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-XX:TieredStopAtLevel=1",
                    "-cp",
                    System.getProperty("java.class.path"),
                    main.getName(),
                    Integer.toString(requests)));
        command.addAll(List.of(arguments));
        Process process =
            new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
        processes.add(process);
        outputs.add(
            new BufferedReader(
                new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8)));
      }
      for (BufferedReader output : outputs) {
        if (!"ready".equals(output.readLine())) {
          throw new AssertionError("a process did not start");
        }
      }
      for (Process process : processes) {
        process.getOutputStream().write('\n');
        process.getOutputStream().flush();
      }
      for (BufferedReader output : outputs) {
        String line = String.valueOf(output.readLine());
        System.out.println("figure: allowed, denied, failed " + line);
        int[] counts = Stream.of(line.split(" ", -1)).mapToInt(Integer::parseInt).toArray();
        for (int i = 0; i < total.length; i++) {
          total[i] += counts[i];
        }
      }
      for (Process process : processes) {
        if (!process.waitFor(30, TimeUnit.SECONDS)) {
          throw new AssertionError("a process does not end");
        }
      }
      return total;
    } finally {
      processes.forEach(Process::destroyForcibly);
    }
  }
}
