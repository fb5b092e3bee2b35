"""The texts of the command line, the set-up and the Action; they are in ``templates/``."""

from __future__ import annotations

from runner.people.texts import PEOPLE, Texts, environment

APP = environment("app", PEOPLE)

doctor_texts = Texts(APP, "doctor")
setup_texts = Texts(APP, "setup")
action_texts = Texts(APP, "action")
checkout_texts = Texts(APP, "checkout")
