"""Rules that stand in for a model at the order desk: reading a mail, answering from the catalogue, writing the reply."""
