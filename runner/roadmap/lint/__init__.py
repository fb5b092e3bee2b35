"""What a person should look at in a roadmap before it is run, by the rules of one table."""

from runner.roadmap.lint.rules import PARSED, RULES, Rule, lint, lint_text, rules_table

__all__ = ["PARSED", "RULES", "Rule", "lint", "lint_text", "rules_table"]
