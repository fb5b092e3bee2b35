"""Answers as language models write them, right ones and harmful ones, and what must become of each.

``projects`` has three small projects and what is to be done in them, ``forms`` the ways to write a
right answer, ``harms`` the ways to do damage, ``judging`` says of a tree whether it is right,
``drawing`` draws cases by a seed, and ``playing`` plays one through ``cairn run``.

Written without a look at the parser and the validators it examines; keep it so. A case that fails
is never made easier: it is taken out only where a person would say that the case itself is wrong.
"""
