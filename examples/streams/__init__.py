"""Programs that learn topics of Kafka, each message exactly once; docs/streams.md explains them.

A message is ``(partition, offset, key, value)``. Partitions are named as Kafka does it: "rows-3" is
partition 3 of the topic "rows".
"""

# What an invalid message raises. Other errors, such as a full disk, stop the programs.
INVALID = (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError)
