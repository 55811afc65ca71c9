package dev.redline.samples.quarkus;

import dev.redline.core.RateLimit;
import io.quarkus.runtime.BlockingOperationControl;
import io.smallrye.common.annotation.Blocking;
import io.smallrye.common.vertx.VertxContext;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import io.vertx.core.Context;
import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.core.HttpHeaders;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jboss.resteasy.reactive.server.ServerRequestFilter;

/** Endpoints that say where they run, each once with a limit and once without. */
@Path("/threads")
public class ThreadProbe {
  private static final String MANY = "1000000/s";

  @Inject Mark mark;
  @jakarta.ws.rs.core.Context HttpHeaders headers;

  /** What a filter writes to the request context, and the method reads. */
  @RequestScoped
  public static class Mark {
    private String value = "none";

    public String get() {
      return value;
    }

    public void set(String mark) {
      value = mark;
    }
  }

  /** Marks the request context. */
  public static class Marking {
    @Inject Mark mark;

    @ServerRequestFilter
    public void mark(ContainerRequestContext request) {
      mark.set(String.valueOf(request.getHeaderString("X-Mark")));
    }
  }

  private String where() {
    return "blocking allowed "
        + BlockingOperationControl.isBlockingAllowed()
        + ", event loop "
        + Context.isOnEventLoopThread()
        + ", duplicated context "
        + VertxContext.isOnDuplicatedContext()
        + ", mark "
        + mark.get()
        + ", header "
        + headers.getHeaderString("X-Mark");
  }

  @GET
  @Path("limited/plain")
  @RateLimit(value = MANY, key = "'all'")
  public String plain() {
    return where();
  }

  @GET
  @Path("free/plain")
  public String freePlain() {
    return where();
  }

  @GET
  @Path("limited/uni")
  @RateLimit(value = MANY, key = "'all'")
  public Uni<String> uni() {
    return Uni.createFrom().item(where());
  }

  @GET
  @Path("free/uni")
  public Uni<String> freeUni() {
    return Uni.createFrom().item(where());
  }

  @GET
  @Path("limited/multi")
  @RateLimit(value = MANY, key = "'all'")
  public Multi<String> multi() {
    return Multi.createFrom().item(where());
  }

  @GET
  @Path("free/multi")
  public Multi<String> freeMulti() {
    return Multi.createFrom().item(where());
  }

  @GET
  @Path("limited/stage")
  @RateLimit(value = MANY, key = "'all'")
  public CompletionStage<String> stage() {
    return CompletableFuture.completedFuture(where());
  }

  @GET
  @Path("free/stage")
  public CompletionStage<String> freeStage() {
    return CompletableFuture.completedFuture(where());
  }

  @GET
  @Path("limited/blocking-uni")
  @Blocking
  @RateLimit(value = MANY, key = "'all'")
  public Uni<String> blockingUni() {
    return Uni.createFrom().item(where());
  }

  @GET
  @Path("free/blocking-uni")
  @Blocking
  public Uni<String> freeBlockingUni() {
    return Uni.createFrom().item(where());
  }

  @GET
  @Path("denied/multi")
  @RateLimit(value = "1/h", key = "'all'")
  public Multi<String> deniedMulti() {
    return Multi.createFrom().item("first");
  }

  /** Limited by a rule, and reads a body. */
  @POST
  @Path("echo")
  public Uni<String> echo(String body) {
    return Uni.createFrom().item(body);
  }
}
