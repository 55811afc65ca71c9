package dev.redline.quarkus.deployment

import dev.redline.core.RateLimit
import jakarta.enterprise.context.ApplicationScoped

/** A bean of Kotlin: its class and its methods are final until Quarkus opens them. */
@ApplicationScoped
class KotlinOrders {
    @RateLimit(value = ["1/h"], key = ["#name"])
    fun buy(name: String, amount: Int = 1): String = "$name bought $amount"

    @RateLimit(value = ["1/h"], key = ["'all'"], fallbackMethod = "later")
    fun sell(): String = "sold"

    fun later(): String = "later"
}
