"""The curator: a trusted server that releases a regression's parameter after every round, and the laws of its noise."""
