package dev.redline.core.internal.limit;

/**
 * What a store that decides elsewhere must know of a band to take one cost from it: integers below
 * 2^53 that only have to be added, subtracted and compared.
 *
 * @param kind the kind of algorithm
 * @param limit the horizon in whole µs; of a window its limit
 * @param limitSub the horizon's numerator over R; of a window its length in µs
 * @param unit R; of a sliding window its number of steps
 * @param period the refill period in µs; 0 for windows
 * @param price what the cost lasts in whole µs; of a window the cost
 * @param priceSub the price's numerator over R; of a sliding window the µs of one step
 */
public record BandParameters(
    BandKind kind, long limit, long limitSub, long unit, long period, long price, long priceSub) {}
