package dev.redline.quarkus.deployment;

import dev.redline.quarkus.RedlineDevUi;
import io.quarkus.deployment.IsDevelopment;
import io.quarkus.deployment.annotations.BuildStep;
import io.quarkus.deployment.builditem.CombinedIndexBuildItem;
import io.quarkus.devui.spi.JsonRPCProvidersBuildItem;
import io.quarkus.devui.spi.page.CardPageBuildItem;
import io.quarkus.devui.spi.page.Page;
import java.util.List;
import java.util.Map;

/** The card of Redline in the Dev UI: limited methods, rules in force, store, reset. */
class RedlineDevUiProcessor {
  @BuildStep(onlyIf = IsDevelopment.class)
  CardPageBuildItem card(LimitedClassesBuildItem limited, CombinedIndexBuildItem combined) {
    LimitIndex limits = new LimitIndex(combined.getComputingIndex());
    List<Map<String, String>> methods =
        limited.names().stream()
            .flatMap(name -> limits.locations(name).stream())
            .map(location -> Map.of("method", location))
            .toList();
    CardPageBuildItem card = new CardPageBuildItem();
    card.addBuildTimeData("limitedMethods", methods);
    card.addPage(
        Page.tableDataPageBuilder("Limited methods")
            .icon("font-awesome-solid:gauge-high")
            .showColumn("method")
            .staticLabel(String.valueOf(methods.size()))
            .buildTimeDataKey("limitedMethods"));
    card.addPage(
        Page.webComponentPageBuilder()
            .title("Rules and store")
            .icon("font-awesome-solid:traffic-light")
            .componentLink("qwc-redline.js"));
    return card;
  }

  @BuildStep(onlyIf = IsDevelopment.class)
  JsonRPCProvidersBuildItem calls() {
    return new JsonRPCProvidersBuildItem(RedlineDevUi.class);
  }
}
