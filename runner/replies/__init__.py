"""From a model's answer to a change set: what models really send, understood without raising."""

from runner.replies.reply import Reply, parse_reply

__all__ = ["Reply", "parse_reply"]
