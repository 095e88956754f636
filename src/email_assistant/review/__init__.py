"""What is asked of the human: actions, risk, policy, the one interrupt, the card, the wire codec."""
