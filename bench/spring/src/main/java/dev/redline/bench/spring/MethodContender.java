package dev.redline.bench.spring;

/** What is measured: a bean of each library. */
enum MethodContender {
  UNLIMITED("no limit", NoOp.Unlimited.class),
  REDLINE("Redline", NoOp.RedlineGlobal.class),
  RESILIENCE4J("Resilience4j", NoOp.Resilience4jGlobal.class),
  BUCKET4J("Bucket4j starter", NoOp.Bucket4jGlobal.class),
  REDLINE_KEYED("Redline, key #user", NoOp.RedlineKeyed.class),
  BUCKET4J_KEYED("Bucket4j starter, key #user", NoOp.Bucket4jKeyed.class);

  private final String title;
  private final Class<? extends NoOp> bean;

  MethodContender(String title, Class<? extends NoOp> bean) {
    this.title = title;
    this.bean = bean;
  }

  String title() {
    return title;
  }

  Class<? extends NoOp> bean() {
    return bean;
  }
}
