"""The log of the programs: Kafka, by confluent-kafka."""

import sys

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaException, TopicPartition

SETTINGS = {
    "enable.auto.commit": False,  # the offsets are in the model file
    "auto.offset.reset": "error",  # an offset that the log no longer has stops the program
    "isolation.level": "read_committed",
}


def checked(message):
    if message.error():
        raise KafkaException(message.error(), f"{message.topic()}-{message.partition()}")
    return f"{message.topic()}-{message.partition()}", message.offset(), message.key(), message.value()


class Topics:
    """All partitions of some topics, assigned without a group, so that Kafka gives none of them away."""

    def __init__(self, servers, *topics):
        self.topics = topics
        self.consumer = Consumer({**SETTINGS, "bootstrap.servers": servers, "group.id": "unused"})

    def read(self, offsets):
        """Yield lists of messages, each partition from its offset or else from the beginning."""
        known = self.consumer.list_topics(timeout=10).topics
        if missing := sorted(set(self.topics) - set(known)):
            sys.exit(f"topics that Kafka does not have: {', '.join(missing)}; create them first")
        partitions = [
            TopicPartition(topic, number, offsets.get(f"{topic}-{number}", OFFSET_BEGINNING))
            for topic in self.topics
            for number in known[topic].partitions
        ]
        self.consumer.assign(partitions)
        try:
            while True:
                yield [checked(message) for message in self.consumer.consume(1000, timeout=1.0)]
        finally:
            self.consumer.close()


class Group:
    """The partitions of a topic that Kafka assigns to this member of a group."""

    def __init__(self, servers, topic, group):
        self.topic = topic
        strategy = {"partition.assignment.strategy": "cooperative-sticky"}
        self.consumer = Consumer({**SETTINGS, **strategy, "bootstrap.servers": servers, "group.id": group})

    def read(self, models):
        """Yield messages, and None while there are none; `models` has the methods for rebalancing."""

        def on_assign(consumer, partitions):
            for each in partitions:
                offset = models.assigned(f"{each.topic}-{each.partition}")
                each.offset = OFFSET_BEGINNING if offset is None else offset
            consumer.incremental_assign(partitions)

        def on_revoke(_, partitions):
            for each in partitions:
                models.revoked(f"{each.topic}-{each.partition}")

        def on_lost(_, partitions):
            for each in partitions:
                models.lost(f"{each.topic}-{each.partition}")

        self.consumer.subscribe([self.topic], on_assign=on_assign, on_revoke=on_revoke, on_lost=on_lost)
        try:
            while True:  # one by one: poll calls the methods above before it returns a message
                message = self.consumer.poll(1.0)
                yield message and checked(message)
        finally:
            self.consumer.close()  # saves, by on_revoke
