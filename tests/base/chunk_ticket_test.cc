#include "base/chunk_ticket.h"

#include <gtest/gtest.h>

namespace hb {
namespace {

// Claims until it succeeds or nothing is left (a claim may fail for no reason).
bool claim_any(ChunkTicket& ticket) {
  for (auto seen = ticket.look(); seen.unclaimed() != 0;) {
    if (ticket.claim(seen)) return true;
  }
  return false;
}

TEST(ChunkTicketTest, EachChunkIsClaimedOnce) {
  ChunkTicket ticket;
  EXPECT_FALSE(claim_any(ticket));
  ticket.open(3);
  for (uint32_t left = 3; left > 0; --left) {
    EXPECT_EQ(ticket.look().unclaimed(), left);
    EXPECT_TRUE(claim_any(ticket));
  }
  EXPECT_FALSE(claim_any(ticket));
}

// A thread looks, is preempted while the job ends and another of the same size begins, and then claims.
TEST(ChunkTicketTest, AStaleLookCannotClaimFromALaterJob) {
  ChunkTicket ticket;
  ticket.open(2);
  auto stale = ticket.look();
  while (claim_any(ticket)) {
  }
  ticket.open(2);
  EXPECT_FALSE(ticket.claim(stale));
  EXPECT_EQ(ticket.look().unclaimed(), 2u);
  EXPECT_EQ(stale.word, ticket.look().word);
}

}  // namespace
}  // namespace hb
