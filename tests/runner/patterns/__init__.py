"""Patterns: what a file may say, what a phrase means, what a template makes."""
