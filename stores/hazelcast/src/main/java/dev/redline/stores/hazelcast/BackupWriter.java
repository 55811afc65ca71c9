package dev.redline.stores.hazelcast;

import com.hazelcast.map.EntryProcessor;
import com.hazelcast.map.ExtendedMapEntry;
import com.hazelcast.nio.ObjectDataInput;
import com.hazelcast.nio.ObjectDataOutput;
import com.hazelcast.nio.serialization.DataSerializable;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Writes the value that the owner of the entry computed, on the member that has its backup. */
final class BackupWriter implements EntryProcessor<String, byte[], long[]>, DataSerializable {
  private static final long serialVersionUID = 1L;

  private static final byte FORMAT = 1;

  private byte[] value;
  private long ttlMillis;

  /** For Hazelcast, which reads the fields. */
  @SuppressWarnings({"unused", "NullAway.Init"})
  BackupWriter() {}

  BackupWriter(byte[] value, long ttlMillis) {
    this.value = value;
    this.ttlMillis = ttlMillis;
  }

  @Override
  public long @Nullable [] process(Map.Entry<String, byte[]> mapEntry) {
    store(mapEntry, value, ttlMillis);
    return null;
  }

  @Override
  public void writeData(ObjectDataOutput out) throws IOException {
    out.writeByte(FORMAT);
    out.writeByteArray(value);
    out.writeLong(ttlMillis);
  }

  @Override
  public void readData(ObjectDataInput in) throws IOException {
    if (in.readByte() != FORMAT) {
      throw new IOException("a member of another version of Redline sends an unknown format");
    }
    value = in.readByteArray();
    ttlMillis = in.readLong();
  }

  /** Writes or, if it is empty, removes the value of an entry. */
  static void store(Map.Entry<String, byte[]> mapEntry, byte[] value, long ttlMillis) {
    if (value.length == 0) {
      mapEntry.setValue(null);
    } else {
      ((ExtendedMapEntry<String, byte[]>) mapEntry)
          .setValue(value, ttlMillis, TimeUnit.MILLISECONDS);
    }
  }
}
