"""From a model's answer to a change set: what models really send, understood without raising."""

from runner.answers.reply import ParsedAnswer, parse_reply

__all__ = ["ParsedAnswer", "parse_reply"]
