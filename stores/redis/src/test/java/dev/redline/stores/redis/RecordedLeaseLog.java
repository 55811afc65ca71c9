package dev.redline.stores.redis;

import dev.redline.core.store.Outcome;
import dev.redline.testkit.LeaseRecorder;
import org.jspecify.annotations.Nullable;

/** Records the leases of a store in a history. */
final class RecordedLeaseLog implements LeaseLog {
  private final LeaseRecorder recorder;
  private volatile @Nullable LeaseRequest lastRequest;

  RecordedLeaseLog(LeaseRecorder recorder) {
    this.recorder = recorder;
  }

  /** Returns the last request for tokens, if there was one. */
  @Nullable LeaseRequest lastRequest() {
    return lastRequest;
  }

  @Override
  public void requested(LeaseRequest request) {
    lastRequest = request;
    recorder.requested(
        request.id(), request.leasedKey().key(), request.portion(), request.runLength());
  }

  @Override
  public void replied(LeaseRequest request, Outcome outcome) {
    recorder.replied(request.id(), request.passed(), outcome, request.sentNanos());
  }

  @Override
  public void failed(LeaseRequest request) {
    recorder.failed(request.id());
  }

  @Override
  public void spent(LeaseBlock block, long cost, long nanos) {
    recorder.spent(block.id(), cost, nanos);
  }

  @Override
  public void restored(LeaseBlock block, long cost, long nanos) {
    recorder.restored(block.id(), cost, nanos);
  }

  @Override
  public void refunding(LeaseBlock block, long tokens) {
    recorder.refunding(block.id(), tokens);
  }

  @Override
  public void refunded(LeaseBlock block, long tokens, long bands, long nowMicros) {
    recorder.refunded(block.id(), bands, nowMicros);
  }
}
