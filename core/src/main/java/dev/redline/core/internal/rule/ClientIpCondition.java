package dev.redline.core.internal.rule;

import dev.redline.core.internal.key.IpBlock;
import dev.redline.core.key.IpAddress;
import dev.redline.core.key.RequestContext;
import dev.redline.core.rule.MatchCondition;
import dev.redline.core.rule.MatchCondition.NoMatch;
import java.util.List;

/**
 * Demands a client address.
 *
 * @param blocks the blocks, of which one must contain it
 */
public record ClientIpCondition(List<IpBlock> blocks) implements MatchCondition {
  /** Reads {@code clientIps: [CIDR]}. */
  public static final OfTexts TYPE =
      new OfTexts(
          "clientIps", texts -> new ClientIpCondition(texts.stream().map(IpBlock::parse).toList()));

  /** Copies the list. */
  public ClientIpCondition {
    blocks = List.copyOf(blocks);
  }

  @Override
  public Type type() {
    return TYPE;
  }

  @Override
  public NoMatch reason() {
    return NoMatch.CLIENT_IP;
  }

  @Override
  public boolean test(RequestContext request) {
    IpAddress address = request.clientAddress();
    if (address == null) {
      return false;
    }
    for (int i = 0; i < blocks.size(); i++) {
      if (blocks.get(i).contains(address)) {
        return true;
      }
    }
    return false;
  }

  @Override
  public List<String> values() {
    return blocks.stream().map(IpBlock::toString).toList();
  }
}
