"""A detector over a whole data set: journaled, resumed, estimated and summed up."""
